"""What is known of clients' looks: the cell is the template that it equals."""
