#!/usr/bin/env bash
# Generates a Python client from the OpenAPI document of a running service with openapi-python-client, and uses it:
# ADMIN_PASSWORD=… deploy/clients/try-generated-python.sh https://switchyard.example
# Needs curl, python3 and openapi-python-client (pip install openapi-python-client). Prints what it did.
set -euo pipefail
url=${1:?the address of a running service}
: "${ADMIN_PASSWORD:?the password of admin}"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
token=$(curl -sf "$url/login" -H 'Content-Type: application/json' -d "{\"user\":{\"username\":\"admin\",\"password\":\"$ADMIN_PASSWORD\"}}")
curl -sf "$url/help/openapi" -H "Authorization: Bearer $token" > "$folder/openapi.json"
cd "$folder"
openapi-python-client generate --path openapi.json --meta none --output-path switchyard > generated.log 2>&1 ||
  { grep -E 'ERROR|WARNING' generated.log; exit 1; }
PYTHONPATH=. python3 - "$url" "$token" << 'END'
import json, pathlib, sys
from switchyard.api.authorization import authorization_list_accounts
from switchyard.api.health import health_get_version
from switchyard.api.session import session_who_am_i
from switchyard.client import AuthenticatedClient
from switchyard.models import Error

url, token = sys.argv[1:]
document = json.loads(pathlib.Path("openapi.json").read_text())
operations = [m for path in document["paths"].values() for m in path if m in ("get", "post", "put", "patch", "delete")]
modules = [m for m in pathlib.Path("switchyard/api").glob("*/*.py") if m.name != "__init__.py"]
print(f"operations: {len(operations)} in the document, {len(modules)} generated")
assert len(operations) == len(modules)
client = AuthenticatedClient(base_url=url, token=token)
print("version:", health_get_version.sync(client=client))
me = session_who_am_i.sync(client=client)
assert me.username == "admin", me
accounts = authorization_list_accounts.sync(client=client, limit=1, equals="admin", equals_field="username")
assert accounts.total == 1 and accounts.results[0].username == "admin", accounts
refused = authorization_list_accounts.sync(client=client, limit=-1)
assert isinstance(refused, Error) and refused.code == "BAD_REQUEST", refused
print("list:", accounts.total, "account; a wrong limit:", refused.code)
unknown = session_who_am_i.sync_detailed(client=AuthenticatedClient(base_url=url, token="none"))
assert unknown.status_code == 401, unknown
print("a wrong token:", int(unknown.status_code))
END
