#!/usr/bin/env bash
# Generates a TypeScript client (fetch) from the OpenAPI document of a running service with openapi-generator, compiles and uses it:
# ADMIN_PASSWORD=… deploy/clients/try-generated-typescript.sh http://127.0.0.1:3000 openapi-generator-cli-7.25.0.jar
# It starts the workflow "Ask for the version": use `npm run demo`. Needs curl, java 11 and this repository's packages; the program comes with
# mvn dependency:copy -Dartifact=org.openapitools:openapi-generator-cli:7.25.0 -DoutputDirectory=. Prints what it did.
set -euo pipefail
url=${1:?the address of a running service} jar=${2:?the jar of openapi-generator-cli}
: "${ADMIN_PASSWORD:?the password of admin}"
bin=$(cd "$(dirname "$0")/../../node_modules" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
curl -sf "$url/openapi.json" > "$folder/openapi.json"
# the default calls `_id` and `id` alike
java -jar "$jar" generate -i "$folder/openapi.json" -g typescript-fetch --additional-properties modelPropertyNaming=original -o "$folder/client" > "$folder/log" 2>&1 || { tail "$folder/log"; exit 1; }
cd "$folder"
cat > tsconfig.json << 'JSON'
{
  "compilerOptions": { "strict": true, "target": "es2022", "module": "esnext", "moduleResolution": "bundler", "noEmit": true, "types": [] },
  "include": ["client"]
}
JSON
node "$bin/@typescript/native/bin/tsc" -p .
echo "compiled: $(find client -name '*.ts' | wc -l) files"
cat > trial.ts << 'TS'
import { AuthorizationApi, Configuration, OperationsManagerApi, ResponseError, SessionApi } from './client';

const [basePath = ''] = process.argv.slice(2);
const signIn = { username: 'admin', password: process.env.ADMIN_PASSWORD };
const accessToken = await new SessionApi(new Configuration({ basePath })).sessionSignIn({ sessionSignInRequest: signIn });
const configuration = new Configuration({ basePath, accessToken });
const authorization = new AuthorizationApi(configuration);
for (const equals of ['admin', { username: 'admin' }]) {
  const equalsField = typeof equals === 'string' ? 'username' : undefined;
  const { total } = await authorization.authorizationListAccounts({ equals, equalsField });
  console.log('accounts:', total);
}
const group = { name: `Trial ${Date.now()}`, description: '' };
const { data } = await authorization.authorizationCreateGroup({ authorizationCreateGroupRequest: { group } });
const groupId = data._id;
await authorization.authorizationUpdateGroup({ groupId, authorizationUpdateGroupRequest: { updates: { description: 'x' } } });
await authorization.authorizationDeleteGroup({ groupId });
await authorization.authorizationGetGroup({ groupId }).catch(async (error) => {
  if (!(error instanceof ResponseError)) throw error;
  console.log('a deleted group:', error.response.status, (await error.response.json()).code);
});
const jobs = new OperationsManagerApi(configuration);
const start = { workflow: 'Ask for the version', options: {} };
const started = await jobs.operationsManagerStartJob({ operationsManagerStartJobRequest: start });
for (let status = 'running'; status === 'running'; ) {
  await new Promise((resolve) => setTimeout(resolve, 500));
  ({ data: { status } } = await jobs.operationsManagerGetJob({ jobId: started.data._id }));
  console.log('job:', status);
}
TS
"$bin/.bin/esbuild" trial.ts --bundle --platform=node --format=esm --outfile=trial.mjs --log-level=error
node trial.mjs "$url"
