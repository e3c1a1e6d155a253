#!/usr/bin/env bash
# Generates a Go client from the OpenAPI document of a running service with oapi-codegen, and uses it:
# ADMIN_PASSWORD=… deploy/clients/try-generated-go.sh https://switchyard.example
# Needs curl, jq, go and oapi-codegen (go install github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2). Prints what it did.
set -euo pipefail
url=${1:?the address of a running service}
: "${ADMIN_PASSWORD:?the password of admin}"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
TOKEN=$(jq -n '{user: {username: "admin", password: env.ADMIN_PASSWORD}}' |
  curl -sf "$url/login" -H 'Content-Type: application/json' -d @-)
export TOKEN
curl -sf "$url/openapi.json" > "$folder/openapi.json"
cd "$folder"
go mod init trial > /dev/null 2>&1
mkdir switchyard
oapi-codegen -package switchyard -generate types,client -o switchyard/client.go openapi.json
cat > main.go << 'END'
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"

	"trial/switchyard"
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func main() {
	ctx := context.Background()
	signed := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Getenv("TOKEN"))
		return nil
	}
	client := must(switchyard.NewClientWithResponses(os.Args[1], switchyard.WithRequestEditorFn(signed)))
	me := must(client.SessionWhoAmIWithResponse(ctx))
	fmt.Println("signed in:", me.StatusCode())
	limit := 1
	named, field := "admin", "username"
	parameters := &switchyard.AuthorizationListAccountsParams{Limit: &limit, StartsWith: &named, StartsWithField: &field}
	accounts := must(client.AuthorizationListAccountsWithResponse(ctx, parameters))
	fmt.Println("list:", accounts.StatusCode())
	unknown := must(client.AuthorizationGetAccountWithResponse(ctx, "ffffffffffffffffffffffff"))
	fmt.Println("an unknown account:", unknown.StatusCode(), string(unknown.Body)[:20])
}
END
go mod tidy > /dev/null 2>&1
go run . "$url"
