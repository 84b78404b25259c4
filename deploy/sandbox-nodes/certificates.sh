#!/bin/sh
# Certificates of sandbox nodes and of the servers that use them, in the working directory. Needs OpenSSL 3.
#
#   sh certificates.sh authority                                  ca.pem, ca-key.pem
#   sh certificates.sh node <file> <names>                        <file>.pem, <file>-key.pem
#   sh certificates.sh server <file> <name>                       <file>.pem, <file>-key.pem
#
# For example: sh certificates.sh node sandbox-1 DNS:sandbox-1.internal,IP:10.0.0.5
#              sh certificates.sh server ravi ravi.internal
set -eu
umask 077

# Arguments: file, name, names, purpose.
issue() {
  openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc -keyout "$1-key.pem" -out "$1.csr" \
    -subj "/CN=$2" -addext "subjectAltName=$3" -addext "extendedKeyUsage=$4"
  openssl x509 -req -in "$1.csr" -CA ca.pem -CAkey ca-key.pem -days "${DAYS:-90}" -copy_extensions copyall -out "$1.pem"
  rm "$1.csr"
}

case "${1:-}" in
authority)
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc -keyout ca-key.pem -out ca.pem \
    -days 3650 -subj "/CN=Ravi sandbox authority"
  ;;
node) issue "$2" "$2" "$3" serverAuth ;;
server) issue "$2" "$3" "DNS:$3" clientAuth ;;
*)
  echo "Usage: certificates.sh authority | node <file> <names> | server <file> <name>" >&2
  exit 2
  ;;
esac
