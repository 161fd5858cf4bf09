"""Weight formats, quantisation schemes, and the packed layouts that the kernels read."""
