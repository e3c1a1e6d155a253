import { z } from 'zod';

const text = (most: number, description: string) => z.string().min(1).max(most).describe(description);

/** How Switchyard signs in to a Vault or OpenBao server. */
const ProviderSignIn = z
  .strictObject({
    method: z.enum(['token', 'approle']).describe('How Switchyard signs in'),
    token: z.string().max(4096).nullish().describe('The token, for the method token'),
    roleId: text(200, 'Role id, for the method approle').nullish(),
    secretId: z.string().max(4096).nullish().describe('Secret id, for the method approle'),
    path: text(200, 'Where the method approle is mounted; absent: approle').nullish(),
  })
  .describe('How Switchyard signs in, for the kind vault');

/** Where secrets are that Switchyard reads at each use instead of storing them (docs/secrets.md). */
export const SecretProvider = z
  .strictObject({
    _id: z.string().optional().describe('Set by the service'),
    name: z
      .string()
      .regex(/^[a-z][a-z0-9-]{0,62}$/, 'must be lower-case letters, digits and hyphens, at most 63')
      .describe('Name in references: `$SECRET_<name>:<path> $KEY_<key>`'),
    kind: z
      .enum(['vault', 'environment', 'files'])
      .describe('HashiCorp Vault or OpenBao with a KV engine of version 2; variables of the process; files'),
    description: z.string().max(1000).nullish().describe('What it is for'),
    default: z.boolean().nullish().describe('Whether references without a name mean this provider'),
    url: text(500, 'Address of the server, for the kind vault').nullish(),
    namespace: text(200, 'Namespace of the server, for the kind vault').nullish(),
    mount: text(200, 'Where the KV engine is mounted, for the kind vault; absent: secret').nullish(),
    auth: ProviderSignIn.nullish(),
    ca: z
      .string()
      .max(100_000)
      .nullish()
      .describe('Certificates of the authority that signed that of the server, PEM'),
    timeoutMs: z.int().min(100).max(60_000).nullish().describe('Time for one request; absent: 5000'),
    cacheSeconds: z
      .int()
      .min(0)
      .max(3600)
      .nullish()
      .describe(
        'How long a value that was read is used again, and a lease is trusted without asking the server; absent: 30',
      ),
    leaseIdleSeconds: z
      .int()
      .min(1)
      .max(86_400)
      .nullish()
      .describe('How long a dynamic secret is kept without a use before its lease is revoked; absent: 900'),
    prefix: text(200, 'First characters of the variables, for the kind environment').nullish(),
    folder: text(500, 'Folder of the files, for the kind files').nullish(),
    failingSince: z
      .string()
      .nullish()
      .describe('Set by the service: since when the system cannot be used; null: it can'),
    lastError: z.string().nullish().describe('Set by the service: why it cannot be used'),
    created: z.string().optional().describe('Set by the service'),
    lastUpdated: z.string().optional().describe('Set by the service'),
  })
  .meta({
    examples: [
      {
        name: 'vault',
        kind: 'vault',
        url: 'https://vault.example.net:8200',
        mount: 'secret',
        auth: { method: 'approle', roleId: '2f6e0c1d', secretId: '********' },
      },
    ],
  });

export type SecretProvider = z.infer<typeof SecretProvider>;
