/** The document's description of the service as a whole. */
export const ABOUT = {
  title: 'Switchyard',
  license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
  contact: { name: 'The Switchyard maintainers' },
  description: `An open network automation platform that teams run themselves. These are its REST endpoints; typed callers use
the same procedures over tRPC at \`/trpc\`.

**Signing in.** \`POST /login\` returns a token. Send it as \`Authorization: Bearer\`, as the cookie that is set with
it, or as the query parameter \`token\`; or send name and password with \`Authorization: Basic\`. The first credential
found applies, and a wrong one is rejected.

**Roles.** Each operation lists the roles of which a caller needs one, in its description and as \`x-roles\` (an empty
list: every account that is signed in). A role does not include another.

**Queries.** Each option is a parameter of its own: \`?limit=25&skip=50&sort=name&order=1\`. Objects are nested in brackets,
\`filter[name]=core\`, or sent as JSON text, \`filter={"name":"core"}\`. An array repeats its name. GET and DELETE also
read the same fields from a JSON body.

**Bodies** are JSON and are never converted: \`"5"\` is not a number. Fields that an endpoint does not know are rejected at
the top level of a request and in its options; inside documents they are kept. Null in an optional field of a request, or of its
options, means that the field is absent.

**Responses.** Success is 200 with JSON unless an operation says otherwise. HEAD works where GET does; a path that
exists only with other methods returns 405 and lists them in \`Allow\`. Every response has \`X-Request-Id\`.

**Errors** have one shape, the schema \`Error\`. Its \`code\` names the problem, \`issues\` lists every field that was
rejected.

**Concurrent changes.** PUT, PATCH and DELETE of a document accept an optional \`If-Match\` with the document's last
update, or with the \`ETag\` that came with it; when the document has changed since, they return 409.`,
};
