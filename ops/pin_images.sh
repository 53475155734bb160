#!/bin/sh
# Pins the images of compose.yaml and of the Dockerfiles to their present digests, in place. Run it in the checkout, and
# again for newer images: it asks the registries for what each tag is now. Needs docker buildx.
set -eu
files="compose.yaml Dockerfile ops/postgres/Dockerfile ops/sites/Dockerfile"
# shellcheck disable=SC2086
for image in $(sed -nE 's/^(FROM( --platform=[^ ]+)?|    image:) ([a-z/]+:[a-z0-9.-]+).*/\3/p' $files | sort -u); do
  digest=$(docker buildx imagetools inspect "$image" --format '{{.Manifest.Digest}}')
  sed -i -E "s|^(FROM( --platform=[^ ]+)?\|    image:) $image(@sha256:[0-9a-f]+)?( .*)?\$|\1 $image@$digest\4|" $files
  echo "$image@$digest"
done
