# The lobby of `kozyr play` in a container. Not built yet: this was written and checked (hadolint) where images cannot
# be fetched.
#   docker build --tag kozyr .
#   docker run --rm --publish 127.0.0.1:8080:8080 --volume kozyr:/home/kozyr kozyr
# Open http://127.0.0.1:8080. Tables, and the games that were compiled, are kept in the volume.
FROM python:3.12.8-slim-bookworm AS build
WORKDIR /source
COPY . .
RUN pip install --no-cache-dir --constraint constraints/shared.txt build setuptools \
    && python -m build --wheel --outdir /dist

FROM python:3.12.8-slim-bookworm
RUN useradd --create-home --uid 10001 kozyr
COPY --from=build /dist /dist
COPY constraints/shared.txt /dist/constraints.txt
RUN set -- /dist/*.whl \
    && pip install --no-cache-dir --constraint /dist/constraints.txt "$1[play,policies]" \
    && rm -r /dist
USER 10001
WORKDIR /home/kozyr
ENV PYTHONUNBUFFERED=1
EXPOSE 8080
ENTRYPOINT ["kozyr", "play", "--host", "0.0.0.0", "--port", "8080", "--no-open"]
