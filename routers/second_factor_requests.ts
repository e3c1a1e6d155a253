import { z } from 'zod';

/** The password that a change of the second factor needs. */
export const Password = z.string().max(1024).describe('The current password of the account');

/** Name and password of an account: in one object, as most clients send them, or at the top level. */
export const SignInName = z
  .strictObject({
    user: z
      .strictObject({
        username: z.string().describe('Name of the account'),
        password: z.string().describe('Its password'),
      })
      .optional()
      .describe('Name and password in one object, as most clients send them'),
    username: z.string().optional().describe('Name of the account, when not in `user`'),
    password: z.string().optional().describe('Its password, when not in `user`'),
  })
  .meta({ examples: [{ user: { username: 'ops', password: 'correct horse battery staple' } }] });

/** Failures of a call that checks password and second factor. */
export const PROOF_FAILURES = {
  401: 'The second factor is missing or wrong; `reason` says which.',
  403: 'The password is wrong, or a personal token was sent.',
  422: 'The account signs in elsewhere, or the platform is reached by an IP address.',
  429: 'Too many wrong codes or passwords; retry in 240 s.',
} as const;

const Descriptor = z.object({
  id: z.string().describe('Id of a credential, in base64url'),
  type: z.string().describe('Always public-key'),
  transports: z.array(z.string()).optional().describe('How the browser reaches it'),
});

const Challenge = z
  .string()
  .meta({ description: 'The challenge, in base64url', examples: ['x8W1mQ0b1mB7u2hV5s9dE4tY6wZ8aC1f'] });
const Timeout = z.number().optional().describe('How long the browser waits, in milliseconds');

/** Options of `navigator.credentials.create`, for `PublicKeyCredential.parseCreationOptionsFromJSON`. */
export const CreationOptions = z
  .object({
    rp: z
      .object({
        name: z.string().describe('Name of the platform'),
        id: z.string().optional().describe('Its host'),
      })
      .describe('Who asks'),
    user: z
      .object({
        id: z.string().describe('Handle of the account, in base64url'),
        name: z.string().describe('Name of the account'),
        displayName: z.string().describe('Name that the browser shows'),
      })
      .describe('For whom'),
    challenge: Challenge,
    pubKeyCredParams: z
      .array(
        z.object({
          type: z.string().describe('Always public-key'),
          alg: z.number().describe('COSE number of a signature algorithm'),
        }),
      )
      .describe('Signature algorithms that are accepted, the preferred one first'),
    timeout: Timeout,
    excludeCredentials: z.array(Descriptor).optional().describe('Keys that the account has already'),
    authenticatorSelection: z.record(z.string(), z.unknown()).optional().describe('Which keys may be used'),
    hints: z.array(z.string()).optional().describe('Which kind of key the browser proposes'),
    attestation: z.string().optional().describe('Always none: the maker of the key is not asked for'),
  })
  .describe('What a browser needs to register a security key');

/** Options of `navigator.credentials.get`, for `PublicKeyCredential.parseRequestOptionsFromJSON`. */
export const RequestOptions = z
  .object({
    challenge: Challenge,
    timeout: Timeout,
    rpId: z.string().optional().describe('Host of the platform'),
    allowCredentials: z.array(Descriptor).optional().describe('Keys of the account'),
    userVerification: z.string().optional().describe('Whether the key asks for a PIN'),
  })
  .describe('What a browser needs to use a security key');
