if __name__ != "scrollwork.flows":
    raise ImportError("flows/ is a part of scrollwork: import scrollwork.flows")
