if __name__ != "scrollwork.suites":
    raise ImportError("suites/ is a part of scrollwork: import scrollwork.suites")
