/** How a destination of the lab answers, hop by hop. */
export type Route = {
  name: string;
  /** Routers on the way, and the destination last where it is reached. */
  hops: { address: string; name: string }[];
  /** What the last of them answers. */
  end?: 'HOST_UNREACHABLE' | 'PROHIBITED';
  /** Nobody answers beyond them, up to the largest distance. */
  silent?: true;
  /** The target's manner while it traces. */
  manner?: 'no header' | 'hangs' | 'breaks' | 'endless' | 'slow' | 'shuffled';
  /** The whole call is rejected with this status of gRPC. */
  refused?: number;
};

const r1 = { address: '192.0.2.1', name: 'r1.lab.example' };
const r2 = { address: '192.0.2.5', name: 'r2.lab.example' };
const v4 = { address: '198.51.100.9', name: 'server-4.lab.example' };
const v6 = [
  { address: '2001:db8:1::1', name: 'r1.lab.example' },
  { address: '2001:db8:2::1', name: 'r2.lab.example' },
  { address: '2001:db8:9::9', name: 'server-6.lab.example' },
];
const to = (address: string, more: Partial<Route>): [string, Route] => [
  address,
  { name: address, hops: [r1], ...more },
];

/** Where the lab's gNOI target finds a way to, by destination; any other address is silent behind the first router. */
export const ROUTES: ReadonlyMap<string, Route> = new Map<string, Route>([
  to('198.51.100.9', { name: v4.name, hops: [r1, r2, v4] }),
  to('2001:db8:9::9', { name: 'server-6.lab.example', hops: v6 }),
  to('203.0.113.1', { hops: [r1, r2], end: 'HOST_UNREACHABLE' }),
  to('203.0.113.2', { hops: [r1, r2], end: 'PROHIBITED' }),
  to('203.0.113.3', { silent: true }),
  to('198.51.100.20', { hops: [r1, r2], manner: 'no header' }),
  to('198.51.100.21', { manner: 'hangs' }),
  to('198.51.100.22', { manner: 'breaks' }),
  to('198.51.100.23', { manner: 'endless' }),
  to('198.51.100.24', { hops: [r1, r2, { address: '198.51.100.24', name: '' }], manner: 'slow' }),
  to('198.51.100.25', { hops: [r1, r2, { address: '198.51.100.25', name: '' }], manner: 'shuffled' }),
  ...[2, 3, 5, 7, 8, 9, 10, 12, 13, 14].map((refused) => to(`198.51.100.${100 + refused}`, { refused })),
]);
