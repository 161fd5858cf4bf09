# torchpaged's server on a CPU: `docker build -t torchpaged .`, then as docs/using.md says.
# tests/test_dockerfile.py checks this file; it is built by hand.

FROM python:3.11-slim-bookworm AS build
RUN apt-get update \
    && apt-get install -y --no-install-recommends g++ \
    && rm -rf /var/lib/apt/lists/*
RUN pip install --no-cache-dir --index-url https://download.pytorch.org/whl/cpu torch==2.13.0
RUN pip install --no-cache-dir "setuptools>=77" wheel
WORKDIR /src
COPY . .
# Not isolated, so that the wheel gets a C++ library for the torch above.
RUN pip wheel --no-cache-dir --no-deps --no-build-isolation --wheel-dir /wheels .

FROM python:3.11-slim-bookworm
RUN pip install --no-cache-dir --index-url https://download.pytorch.org/whl/cpu torch==2.13.0
COPY --from=build /wheels /wheels
RUN pip install --no-cache-dir "$(ls /wheels/torchpaged-*.whl)[serve]"
RUN useradd --create-home torchpaged
USER torchpaged
WORKDIR /home/torchpaged
ENV HF_HOME=/home/torchpaged/.cache/huggingface
EXPOSE 8000
HEALTHCHECK --start-period=120s CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/health')"]
ENTRYPOINT ["torchpaged"]
CMD ["--help"]
