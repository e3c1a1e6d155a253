/** The devices of the lab's orchestrator whose configurations it knows as they are; actions change it. */
export type SyncState = Map<string, 'in-sync' | 'out-of-sync'>;

type Output = Record<string, unknown>;

/** The outcome of a request to the actions of devices: an output, or an error of RESTCONF. */
export type ActionReply = { output: Output } | { missing: true };

/** Actions of its one device that answers. */
const ONE: Readonly<Record<string, (state: SyncState) => Output>> = {
  connect: () => ({ result: true, info: '(admin) Connected to ce1' }),
  'check-sync': (state) => ({ result: state.get('ce1') ?? 'in-sync' }),
  'sync-from': (state) => {
    state.set('ce1', 'in-sync');
    return { result: true };
  },
  'ssh/fetch-host-keys': () => ({
    result: 'updated',
    fingerprint: [{ algorithm: 'ssh-ed25519', value: '0f:2e:11' }],
  }),
};

/** Runs an action of one device or of the list of devices; null for a path that is none. */
export function actionReply(path: string, body: string, state: SyncState): ActionReply | null {
  const [, device, action = ''] = /devices\/device=([^/]+)\/([\w/-]+)$/.exec(path) ?? [];
  const one = ONE[action];
  if (device !== undefined && one) return device === 'ce1' ? { output: one(state) } : { missing: true };
  const [, listed] = /tailf-ncs:devices\/(sync-from|check-sync)$/.exec(path) ?? [];
  if (listed === undefined) return null;
  const input = JSON.parse(body || '{}') as { 'tailf-ncs:input'?: { device?: string[] } };
  const names = input['tailf-ncs:input']?.device ?? ['ce1', 'Pe-East'];
  return {
    output: {
      'sync-result': names.map((name) => {
        if (listed === 'check-sync') return { device: name, result: state.get(name) ?? 'in-sync' };
        // Nobody answers at this one.
        if (name === 'Pe-East') return { device: name, result: false, info: 'connection refused' };
        state.set(name, 'in-sync');
        return { device: name, result: true };
      }),
    },
  };
}

/** The module of its service, as it is offered for download. */
export const VPN_MODULE = `module vpn {
  namespace "http://example.net/vpn";
  prefix vpn;
  grouping list-of-nothing { leaf list { type string; } }
  list vpn {
    description "A private network";
    key "name";
    leaf name { type string; }
    leaf vlan { type uint16; }
    list site {
      key "region number";
      leaf region { type string; }
      leaf number { type uint16; }
    }
  }
}
`;
