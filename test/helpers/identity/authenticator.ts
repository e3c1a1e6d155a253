import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

type Options = {
  challenge: string;
  rp?: { id?: string };
  rpId?: string;
  allowCredentials?: { id: string }[];
};

/** What a test falsifies in the answer of a key. */
export type Falsified = {
  origin?: string;
  challenge?: string;
  type?: string;
  /** Host that the key answers for. */
  host?: string;
  counter?: number;
  flags?: number;
  /** Signs with another key. */
  stranger?: boolean;
  format?: string;
  statement?: Map<string, unknown>;
};

/** Bytes as WebAuthn writes them in JSON. */
const text = (bytes: Buffer) => bytes.toString('base64url');

const sha = (data: string | Buffer) => createHash('sha256').update(data).digest();

/** CBOR of the few types that authenticators send (RFC 8949). */
function cbor(value: unknown): Buffer {
  if (typeof value === 'number') return value >= 0 ? head(0, value) : head(1, -1 - value);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  if (typeof value === 'string')
    return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Array.isArray(value)) return Buffer.concat([head(4, value.length), ...value.map(cbor)]);
  if (value instanceof Map) {
    return Buffer.concat([head(5, value.size), ...[...value].flatMap(([k, v]) => [cbor(k), cbor(v)])]);
  }
  throw new Error(`no CBOR for ${typeof value}`);
}

function head(major: number, length: number): Buffer {
  if (length < 24) return Buffer.from([(major << 5) | length]);
  if (length < 256) return Buffer.from([(major << 5) | 24, length]);
  return Buffer.from([(major << 5) | 25, length >> 8, length & 255]);
}

/** A security key in software: ES256, with a counter. */
export class SoftKey {
  readonly id = randomBytes(32);
  counter = 0;
  private readonly pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  private readonly other = generateKeyPairSync('ec', { namedCurve: 'P-256' });

  private readonly origin: string;

  /** @param origin that of the page */
  constructor(origin: string) {
    this.origin = origin;
  }

  private clientData(type: string, options: Options, falsified: Falsified): Buffer {
    const { challenge = options.challenge, origin = this.origin } = falsified;
    return Buffer.from(
      JSON.stringify({ type: falsified.type ?? type, challenge, origin, crossOrigin: false }),
    );
  }

  private data(host: string, flags: number, falsified: Falsified, attested = Buffer.alloc(0)): Buffer {
    this.counter += 1;
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(falsified.counter ?? this.counter);
    return Buffer.concat([
      sha(falsified.host ?? host),
      Buffer.from([falsified.flags ?? flags]),
      counter,
      attested,
    ]);
  }

  /** The answer of `navigator.credentials.create`. */
  create(options: Options, falsified: Falsified = {}) {
    const clientDataJSON = this.clientData('webauthn.create', options, falsified);
    const { x, y } = this.pair.publicKey.export({ format: 'jwk' });
    const publicKey = cbor(
      new Map<number, unknown>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, Buffer.from(x as string, 'base64url')],
        [-3, Buffer.from(y as string, 'base64url')],
      ]),
    );
    const length = Buffer.from([0, this.id.length]);
    const attested = Buffer.concat([Buffer.alloc(16), length, this.id, publicKey]);
    const authData = this.data(options.rp?.id ?? '', 0x41, falsified, attested);
    const attestationObject = cbor(
      new Map<string, unknown>([
        ['fmt', falsified.format ?? 'none'],
        ['attStmt', falsified.statement ?? new Map()],
        ['authData', authData],
      ]),
    );
    return this.answer({
      clientDataJSON: text(clientDataJSON),
      attestationObject: text(attestationObject),
      transports: ['usb'],
    });
  }

  /** The answer of `navigator.credentials.get`. */
  get(options: Options, falsified: Falsified = {}) {
    const clientDataJSON = this.clientData('webauthn.get', options, falsified);
    const authenticatorData = this.data(options.rpId ?? '', 0x01, falsified);
    const key: KeyObject = (falsified.stranger ? this.other : this.pair).privateKey;
    const signature = sign('sha256', Buffer.concat([authenticatorData, sha(clientDataJSON)]), key);
    return this.answer({
      clientDataJSON: text(clientDataJSON),
      authenticatorData: text(authenticatorData),
      signature: text(signature),
    });
  }

  /** A credential with its response, as a browser hands it to the page. */
  private answer<Response>(response: Response) {
    const id = text(this.id);
    return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response };
  }
}
