if __name__ != "scrollwork.fetching":
    raise ImportError("fetching/ is a part of scrollwork: import scrollwork.fetching")
