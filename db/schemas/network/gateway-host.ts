import { z } from 'zod';
import { flag, text, textOrNull, texts } from '../fields.ts';
import { Gbac, GbacUpdate, Name, ObjectId, Timestamp } from '../primitives.ts';

/** The inventories of the gateway, each a separate namespace (contract/lifecycle#12). */
export const HostKind = z
  .enum(['cli', 'grpc', 'http'])
  .describe(
    'Inventory: cli for hosts over SSH, grpc for hosts over gNOI, http for services that workflow tasks call',
  );
export type HostKind = z.infer<typeof HostKind>;

/**
 * A secret as sent and shown: text, the mask where it is set, null or "" where it is not (contract/lifecycle#secrets).
 */
const secret = (description: string) =>
  z
    .string()
    .max(20_000)
    .nullable()
    .optional()
    .meta({
      description: `${description}. Shown as ******** when set; sending the mask back keeps it, null or "" clears it`,
      examples: ['********'],
    });

const port = z.int().min(1).max(65535).optional();
const milliseconds = z.int().min(1).max(3_600_000).optional();

/** The account that the gateway signs in with, in a host or in a credential that several hosts share. */
const login = {
  username: textOrNull('Name to sign in with', 'svc'),
  password: secret('Password to sign in with'),
};
const shell = {
  privateKey: secret('Private key to sign in with, as PEM text'),
  enablePassword: secret('Password that raises the privilege level'),
};

/** SHA-256 of a host key as OpenSSH prints it. */
export const Fingerprint = z
  .string()
  .regex(
    /^SHA256:[A-Za-z0-9+/]{43}$/,
    'must be SHA256: and 43 characters of base64, as ssh-keygen -l prints it',
  )
  .meta({
    description: 'SHA-256 of the host’s key, as ssh-keygen -l prints it',
    examples: ['SHA256:uNiVztksCsDhcc0u9e8BrrJXVGDvCK5wNGCwm0ZFaOs'],
  });

/** The known host key, and the policy for checking it (contract/decisions#host-keys). */
const HostKey = z.looseObject({
  algorithm: text('Kind of the key', 'ssh-ed25519'),
  fingerprint: Fingerprint.nullable().optional(),
  policy: z
    .enum(['accept-new', 'pinned', 'insecure'])
    .optional()
    .describe(
      'accept-new: the first key is recorded; pinned: an unknown key is rejected; insecure: any key is accepted',
    ),
  ports: z
    .record(
      z.string(),
      z.looseObject({
        algorithm: z.string().optional().describe('Algorithm of the key'),
        fingerprint: Fingerprint.nullable().optional(),
      }),
    )
    .optional()
    .describe('Keys of the host on other ports, by port'),
});

const HostOptions = z.looseObject({
  jumpHost: textOrNull('Name of the cli host to use as jump host', 'bastion-1'),
  allowOverrides: flag(
    'True: stored credentials are also sent when a call uses another port, or another route to a host without a known key',
  ),
  timeoutMs: milliseconds.describe('Timeout of a call or of connecting, in milliseconds'),
  commandTimeoutMs: milliseconds.describe('Time limit of one command, in milliseconds'),
  legacyAlgorithms: flag('True: insecure ciphers and key exchanges are offered as well'),
});

const Tls = z.looseObject({
  enabled: flag('True: TLS is used'),
  serverName: text('Expected name in the certificate, when it differs from the host', 'leaf-1.example.net'),
  ca: text('Trusted certificates, as PEM text'),
  cert: text('Certificate of the client, as PEM text'),
  key: secret('Private key of that certificate, as PEM text'),
  skipVerify: flag('True: any certificate is accepted'),
});

const common = {
  host: z
    .string()
    .min(1)
    .max(255)
    .meta({ description: 'Management address, or a DNS name', examples: ['192.0.2.11'] }),
  port: port.describe('Port; absent: 22 for cli, 9339 for grpc, 443 or 80 for http'),
  ...login,
  credential: textOrNull(
    'Name of the credential to sign in with, instead of own credential fields',
    'net-ro',
  ),
  tags: z.array(z.string()).optional().describe('Labels'),
  site: textOrNull('Site of the host', 'berlin-1'),
  custom: z
    .record(z.string().max(100), z.unknown())
    .optional()
    .meta({ description: 'Custom fields', examples: [{ rack: 'A-12' }] }),
  gbac: Gbac.optional().describe('Groups that may see and change the host'),
};
const stamps = {
  _id: ObjectId.optional().describe('Id of the host'),
  created: Timestamp.optional().describe('When the host was stored'),
  lastUpdated: Timestamp.optional().describe('When it was last changed'),
  source: text('Inventory source that manages the host; set by the service', 'netbox'),
  sourceFields: texts('Fields that the source manages, and others cannot change', ['host']),
  missingSince: Timestamp.nullish().describe('Since when its source no longer has the host'),
};
const tested = {
  lastTest: z
    .looseObject({
      time: Timestamp.optional().describe('When it was tested'),
      isAlive: flag('True: it responded'),
    })
    .optional()
    .describe('The last test whether it responds, since the host was changed; set by the service'),
};
const cli = {
  ...tested,
  device_type: text('Driver of the host; GET /automationgateway/cli/device_types lists them', 'cisco_ios'),
  ostype: text('Config parser for its configurations; absent: that of the driver', 'cisco-ios'),
  ...shell,
  hostKey: HostKey.optional().describe('The host’s key'),
  options: HostOptions.optional().describe('Options of calls'),
  lastSeen: Timestamp.nullable().optional().describe('When the host last responded; null: never'),
};

const http = {
  protocol: z.enum(['https', 'http']).optional().describe('Protocol of an http host; absent: https'),
  base_path: text('Path below which an http host is called', '/mgmt'),
};

const storedName = z
  .string()
  .meta({ description: 'Name of the host, unique in its inventory', examples: ['edge-1'] });

/** A host that is reached over SSH (contract/lifecycle#12). */
export const CliHost = z
  .looseObject({ ...stamps, name: storedName, ...common, ...cli })
  .meta({ id: 'CliHost', description: 'A device that the gateway connects to over SSH.' });
export type CliHost = z.infer<typeof CliHost>;

/** A host that is reached over gNOI (contract/lifecycle#12). */
export const GrpcHost = z
  .looseObject({
    ...stamps,
    ...tested,
    name: storedName,
    ...common,
    tls: Tls.optional().describe('TLS to the host'),
    options: HostOptions.optional().describe('Options of calls'),
  })
  .meta({ id: 'GrpcHost', description: 'A device that the gateway connects to over gNOI.' });
export type GrpcHost = z.infer<typeof GrpcHost>;

/** A web service that workflow tasks call; it is no device. */
export const HttpHost = z
  .looseObject({
    ...stamps,
    name: storedName,
    ...common,
    ...http,
    tls: Tls.optional().describe('TLS to the host'),
    options: HostOptions.optional().describe('Options of calls'),
  })
  .meta({ id: 'HttpHost', description: 'A web service that workflow tasks call through the gateway.' });
export type HttpHost = z.infer<typeof HttpHost>;

/** A host of any inventory, as stored and shown. */
export const GatewayHost = z.union([CliHost, GrpcHost, HttpHost]);
export type GatewayHost = CliHost & GrpcHost & HttpHost;

/** A host to store, in the inventory that the path selects; fields of the other inventory are kept but have no effect. */
export const NewHost = z
  .looseObject({
    ...stamps,
    name: Name.meta({ description: 'Name of the host, unique in its inventory', examples: ['edge-1'] }),
    ...common,
    ...cli,
    ...http,
    tls: Tls.optional().describe('TLS to a grpc or http host'),
  })
  .meta({
    id: 'NewHost',
    description: 'A host to store, with its secrets.',
    examples: [{ name: 'edge-1', host: '192.0.2.11', device_type: 'cisco_ios', credential: 'net-ro' }],
  });
export type NewHost = z.infer<typeof NewHost>;

const { _id, created, lastUpdated } = stamps;

/** Changes to a host: omitted fields stay, also inside `hostKey`, `options` and `tls`. */
export const HostPatch = z
  .strictObject({
    name: text('Name of the host; it cannot be changed'),
    ...common,
    host: common.host.optional(),
    custom: z
      .record(z.string().max(100), z.unknown())
      .optional()
      .meta({
        description: 'Custom fields to change; others stay, null removes one',
        examples: [{ rack: 'A-12' }],
      }),
    gbac: GbacUpdate.optional().describe('New access list'),
    ...cli,
    ...http,
    tls: Tls.optional().describe('TLS to a grpc or http host'),
    _id,
    created,
    lastUpdated,
  })
  .meta({ id: 'HostPatch', description: 'Changes to a host; fields that are not given are kept.' });
export type HostPatch = z.infer<typeof HostPatch>;

/** The outcome of one name in a deletion of several devices (contract/lifecycle#delete-devices). */
export const DeletedDevice = z
  .strictObject({
    name: z.string().meta({ description: 'Name of the device', examples: ['edge-1'] }),
    success: z.boolean().describe('Whether it was deleted'),
    message: z.string().describe('What was done, or why the device stays'),
  })
  .meta({ id: 'DeletedDevice', description: 'Outcome of the deletion of one device.' });
export type DeletedDevice = z.infer<typeof DeletedDevice>;

/** Sign-in data shared by several hosts (contract/lifecycle#12). */
export const GatewayCredential = z
  .looseObject({
    _id: ObjectId.optional().describe('Id of the credential'),
    name: Name.meta({ description: 'Name of the credential, unique', examples: ['net-ro'] }),
    ...login,
    ...shell,
    scope: z
      .array(HostKind)
      .optional()
      .meta({
        description: 'Inventories whose hosts may use it; absent: cli and grpc',
        examples: [['cli', 'grpc']],
      }),
    created,
    lastUpdated,
  })
  .meta({ id: 'GatewayCredential', description: 'A credential for hosts of the gateway.' });
export type GatewayCredential = z.infer<typeof GatewayCredential>;

/** A kind of device that the gateway supports (contract/lifecycle#12). */
export const DeviceType = z
  .looseObject({
    device_type: z.string().meta({ description: 'Name of the driver', examples: ['cisco_ios'] }),
    ostype: z.string().meta({
      description: 'Config parser for its configurations; empty for none',
      examples: ['cisco-ios'],
    }),
    description: z.string().meta({ description: 'Vendor and operating system', examples: ['Cisco IOS'] }),
  })
  .meta({ id: 'DeviceType', description: 'A device type that the gateway supports.' });
export type DeviceType = z.infer<typeof DeviceType>;
