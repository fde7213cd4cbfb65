if __name__ != "scrollwork.pipeline":
    raise ImportError("pipeline/ is a part of scrollwork: import scrollwork.pipeline")
