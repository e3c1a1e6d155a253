import { sql } from 'drizzle-orm';
import { index, jsonb, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { access, document, requiredTextOf, textOf } from '../../columns.ts';
import type { DeviceGroup, DeviceTemplate } from '../../schemas/network/device.ts';
import type { GatewayCredential, GatewayHost, HostKind } from '../../schemas/network/gateway-host.ts';

/**
 * Sealed secrets, by their path in the document, stored separately so that no list and no export can contain them; the
 * document shows a mask where one is set (contract/lifecycle#secrets).
 */
const secrets = () => jsonb().$type<Record<string, string>>().notNull().default({});

/** Both inventories of the gateway (contract/lifecycle#12). The view `device_origins` turns them into devices. */
export const gatewayHosts = pgTable(
  'gateway_hosts',
  {
    ...document<GatewayHost>(),
    ...access(),
    kind: text().$type<HostKind>().notNull(),
    secrets: secrets(),
    name: requiredTextOf('name'),
    host: textOf('host'),
    deviceType: textOf('device_type'),
    ostype: textOf('ostype'),
    credential: textOf('credential'),
    /** The inventory source that manages it. */
    source: textOf('source'),
  },
  (t) => [
    uniqueIndex('gateway_hosts_name').on(t.name, t.kind),
    index('gateway_hosts_source').on(t.source).where(sql`source is not null`),
    index('gateway_hosts_credential').on(t.credential).where(sql`credential is not null`),
  ],
);

export const gatewayCredentials = pgTable(
  'gateway_credentials',
  { ...document<GatewayCredential>(), secrets: secrets(), name: requiredTextOf('name') },
  (t) => [uniqueIndex('gateway_credentials_name').on(t.name)],
);

export const deviceGroups = pgTable(
  'device_groups',
  { ...document<DeviceGroup>(), ...access(), name: requiredTextOf('name') },
  (t) => [
    uniqueIndex('device_groups_name').on(t.name),
    index('device_groups_devices').using('gin', sql`(doc -> 'devices')`),
  ],
);

export const deviceTemplates = pgTable(
  'device_templates',
  { ...document<DeviceTemplate>(), ...access(), name: requiredTextOf('name') },
  (t) => [uniqueIndex('device_templates_name').on(t.name)],
);
