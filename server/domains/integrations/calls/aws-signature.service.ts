import { createHash } from 'node:crypto';
import { AwsV4Signer } from 'aws4fetch';
import { type Credential, textIn } from './security.ts';

/** A request as it will be sent; the signature covers its method, URL, body and headers. */
type UnsignedRequest = {
  method: string;
  url: URL;
  headers: Readonly<Record<string, string>>;
  body?: Buffer | undefined;
};

/**
 * Returns the headers of a request signed with AWS Signature Version 4. The signature is valid for some minutes, so that
 * every attempt is signed again.
 *
 * @param credential `{accessKeyId, secretAccessKey, sessionToken?, region, service}`
 * @param now moment of the signature
 * @returns the given headers, with `Authorization`, `X-Amz-Date` and, where they apply, `X-Amz-Security-Token` and
 *   `X-Amz-Content-Sha256`
 */
export async function awsSignedHeaders(
  { method, url, headers, body }: UnsignedRequest,
  credential: Credential,
  now: Date,
): Promise<Record<string, string>> {
  const service = textIn(credential, 'service');
  const sessionToken = textIn(credential, 'sessionToken');
  const signer = new AwsV4Signer({
    method,
    url: url.href,
    headers: {
      ...headers,
      // S3 wants the digest as a header; without it the library leaves the body out of the signature.
      ...(service === 's3' && { 'X-Amz-Content-Sha256': sha256(body) }),
    },
    // The DOM types of the library know no view of shared memory.
    ...(body && { body: new Uint8Array(body) }),
    accessKeyId: textIn(credential, 'accessKeyId'),
    secretAccessKey: textIn(credential, 'secretAccessKey'),
    ...(sessionToken && { sessionToken }),
    region: textIn(credential, 'region'),
    service,
    datetime: now.toISOString().replace(/[:-]|\.\d{3}/g, ''),
  });
  const signed = (await signer.sign()).headers;
  const added = ['Authorization', 'X-Amz-Date', 'X-Amz-Security-Token', 'X-Amz-Content-Sha256'];
  return {
    ...headers,
    ...Object.fromEntries(
      added.flatMap((name) => {
        const value = signed.get(name);
        return value === null ? [] : [[name, value]];
      }),
    ),
  };
}

const sha256 = (body: Buffer | undefined) =>
  createHash('sha256')
    .update(body ?? '')
    .digest('hex');
