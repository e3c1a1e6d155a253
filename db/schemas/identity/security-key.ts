import { z } from 'zod';
import { ObjectId, Timestamp } from '../primitives.ts';

/** Bytes as browsers write them in JSON. */
const bytes = (characters: number, description: string) =>
  z
    .string()
    // Aborts: expressions overflow on texts of millions of characters (0160).
    .max(characters, { abort: true })
    .regex(/^[A-Za-z0-9_-]+$/, 'must be base64url')
    .meta({ description, examples: ['q3J8xkQ0b1mB7u2hV5s9dE4tY6wZ8aC1'] });

const CredentialId = bytes(1400, 'What the key calls the credential, in base64url');
const ClientData = bytes(12_000, 'clientDataJSON of the browser, in base64url');

/** The answer of `navigator.credentials.get`, as its `toJSON` writes it. Other properties are ignored. */
export const Assertion = z
  .looseObject({
    id: CredentialId,
    response: z
      .looseObject({
        clientDataJSON: ClientData,
        authenticatorData: bytes(12_000, 'authenticatorData, in base64url'),
        signature: bytes(12_000, 'The signature, in base64url'),
      })
      .describe('What the key signed, and the signature'),
  })
  .meta({ id: 'Assertion', description: 'The answer of a security key to a challenge.' });

/** The answer of `navigator.credentials.create`, as its `toJSON` writes it. Other properties are ignored. */
export const Attestation = z
  .looseObject({
    id: CredentialId,
    response: z
      .looseObject({
        clientDataJSON: ClientData,
        attestationObject: bytes(24_000, 'The new public key and what the key says of itself, in base64url'),
        transports: z
          .array(z.string().max(30))
          .max(10)
          .optional()
          .meta({ description: 'How the key can be reached', examples: [['usb', 'nfc']] }),
      })
      .describe('The new credential'),
  })
  .meta({ id: 'Attestation', description: 'A credential that a security key has created.' });

/** How a caller proves the second factor: by a code, or by the answer of a security key. */
export const FactorProof = {
  code: z
    .string()
    .max(50)
    .optional()
    .meta({ description: 'Code of the authenticator, or a recovery code', examples: ['492039'] }),
  securityKey: Assertion.optional().describe(
    'Instead of a code: the answer of a security key to the options of POST /login/security_key',
  ),
};

/** A security key as its owner sees it. */
export const SecurityKey = z
  .looseObject({
    _id: ObjectId.describe('Id of the key here'),
    name: z.string().describe('Name that its owner gave it'),
    host: z.string().meta({
      description: 'Host of the platform for which it was registered; browsers offer it under no other',
      examples: ['nms.example.net'],
    }),
    transports: z
      .array(z.string())
      .meta({ description: 'How the browser reaches it', examples: [['usb', 'nfc']] }),
    created: Timestamp.describe('When it was registered'),
    lastUsed: Timestamp.nullable().describe('When it was last used; null: never'),
  })
  .meta({ id: 'SecurityKey', description: 'A security key of the caller (WebAuthn).' });
