if __name__ != "scrollwork.reporting":
    raise ImportError("reporting/ is a part of scrollwork: import scrollwork.reporting")
