"""Picture files read or refused, pictures compared, and boards cut into cells."""
