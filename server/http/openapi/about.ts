/** The document's description of the service as a whole. */
export const ABOUT = {
  title: 'Switchyard',
  license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
  contact: { name: 'The Switchyard maintainers' },
  description: `An open network automation platform that teams run themselves. These are its REST endpoints; typed callers use
the same procedures over tRPC at \`/trpc\`.

**Signing in.** \`POST /login\` answers a token. Present it as \`Authorization: Bearer\`, as the cookie that is set with
it, or as the query parameter \`token\`; or present name and password with \`Authorization: Basic\`. The first that is
there counts, and a wrong one is refused.

**Roles.** Each operation names the roles of which a caller needs one, in its description and as \`x-roles\` (an empty
list: every account that is signed in). A role does not include another.

**Queries.** Options are parameters of their own: \`?limit=25&skip=50&sort=name&order=1\`. Objects nest in brackets,
\`filter[name]=core\`, or come as JSON text, \`filter={"name":"core"}\`. An array repeats its name. GET and DELETE also
read the same members from a JSON body.

**Bodies** are JSON and are never converted: \`"5"\` is no number. Members that an endpoint does not know are refused, at
the top of a request and in its options; inside documents they are kept.

**Answers.** Success is 200 with JSON unless an operation says otherwise. HEAD works where GET does; a path that is
known under other methods answers 405 and names them in \`Allow\`. Every answer carries \`X-Request-Id\`.

**Errors** have one shape, the schema \`Error\`. Its \`code\` says what went wrong, \`issues\` every member that was
refused.

**Changes at the same time.** PUT, PATCH and DELETE of a document take an optional \`If-Match\` with the document's last
update, or with the \`ETag\` that came with it; when it has changed since, they answer 409.`,
};
