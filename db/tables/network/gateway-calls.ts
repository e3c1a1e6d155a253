import { index, pgTable } from 'drizzle-orm/pg-core';
import { document, textOf } from '../../columns.ts';
import type { GatewayCall } from '../../schemas/network/gateway-call.ts';

/** Calls of the gateway to devices (contract/lifecycle#12); rows are only added, and old ones deleted. */
export const gatewayCalls = pgTable(
  'gateway_calls',
  {
    ...document<GatewayCall>(),
    started: textOf('started'),
    host: textOf('host'),
    user: textOf('user'),
  },
  (t) => [
    index('gateway_calls_started').on(t.started.desc().nullsLast(), t.id),
    index('gateway_calls_host').on(t.host, t.started.desc().nullsLast(), t.id),
    index('gateway_calls_user').on(t.user, t.started.desc().nullsLast(), t.id),
  ],
);
