if __name__ != "scrollwork.sample":
    raise ImportError("sample/ is a part of scrollwork: import scrollwork.sample")
