from sweepbot.solver.compiled import announcing, compiled


def without_a_file() -> object:
    """A compiled function of which nothing can be kept, for it is in no file."""
    names: dict[str, object] = {"compiled": compiled}
    exec("@compiled\ndef double(x: int) -> int:\n    return 2 * x\n", names)  # noqa: S102  (the point of the test)
    return names["double"]


def test_a_function_that_cannot_be_kept_is_compiled_all_the_same() -> None:
    """Where there is no place for compiled code, the solver still works."""
    double = without_a_file()
    assert callable(double)
    assert double(21) == 42


def test_compiling_is_announced_once_and_only_when_it_happens() -> None:
    """Work that compiles two functions announces one sentence; done again, it announces nothing."""
    functions = [without_a_file(), without_a_file()]
    said: list[str] = []

    def work() -> None:
        for function in functions:
            assert callable(function)
            function(1)

    announcing(work, said.append)
    assert len(said) == 1
    announcing(work, said.append)
    assert len(said) == 1
