const IOS = 'example-ios-cli-6.109:example-ios-cli-6.109';
const JUNOS = 'example-junos-nc-4.18:example-junos-nc-4.18';

/** Packages of the lab's orchestrator: two drivers and a service. */
export const PACKAGES = [
  {
    name: 'example-ios-cli-6.109',
    'package-version': '6.109.4',
    component: [{ name: 'ios', ned: { cli: { 'ned-id': IOS } } }],
  },
  { name: 'vpn', 'package-version': '1.0', component: [{ name: 'vpn', callback: {} }] },
];

/** Devices that it knows. */
export const DEVICES = [
  { name: 'ce1', address: '192.0.2.51', port: 22, 'device-type': { cli: { 'ned-id': IOS } } },
  {
    name: 'Pe-East',
    address: '192.0.2.52',
    port: 830,
    'device-type': { netconf: { 'ned-id': JUNOS } },
    platform: { name: 'junos' },
  },
];

/** Its two services, by path. */
export const SERVICES: Readonly<Record<string, unknown>> = {
  '/restconf/data/vpn:vpn': {
    'vpn:vpn': [
      { name: 'blue', vlan: 100, device: 'ce1' },
      { name: 'red', vlan: 200, device: 'Pe-East' },
    ],
  },
  '/restconf/data/vpn:vpn=blue': { 'vpn:vpn': [{ name: 'blue', vlan: 100, device: 'ce1' }] },
  '/restconf/data/vpn:vpn=red': { 'vpn:vpn': [{ name: 'red', vlan: 200, device: 'Pe-East' }] },
  '/restconf/data/acl:acl': { 'acl:acl': [{ name: 'edge-in', rule: [{ seq: 10, action: 'permit' }] }] },
  '/restconf/data/acl:acl=edge-in': {
    'acl:acl': [{ name: 'edge-in', rule: [{ seq: 10, action: 'permit' }] }],
  },
};
