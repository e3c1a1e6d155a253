import { readPublished } from './published-document.ts';

const schema = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** The list of devices of Nautobot, with the objects of a device in full, as `depth=1` returns them. */
export const NAUTOBOT = readPublished('nautobot', '/dcim/devices/', {
  allOf: [schema('PaginatedDeviceList')],
  properties: {
    results: {
      items: {
        properties: {
          platform: { anyOf: [schema('Platform'), { type: 'null' }] },
          location: schema('Location'),
          status: schema('Status'),
          primary_ip4: { anyOf: [schema('IPAddress'), { type: 'null' }] },
          tags: { items: schema('Tag') },
        },
      },
    },
  },
});

const ORIGIN = 'https://nautobot.example.net';
const ID = '8a7b6c5d-0000-4000-8000-000000000001';

/** What every object of Nautobot has. @param type such as `dcim.platform`; @param path of its list */
const object = (type: string, path: string, name: string) => ({
  id: ID,
  object_type: type,
  display: name,
  url: `${ORIGIN}/api/${path}/${ID}/`,
  natural_slug: `${name.toLowerCase().replaceAll(' ', '-')}_8a7b`,
  notes_url: `${ORIGIN}/api/${path}/${ID}/notes/`,
  created: '2026-01-02T03:04:05Z',
  last_updated: '2026-01-02T03:04:05Z',
  name,
});
const reference = (type: string, path: string) => ({
  id: ID,
  object_type: type,
  url: `${ORIGIN}/api/${path}/${ID}/`,
});
const status = {
  ...object('extras.status', 'extras/statuses', 'Active'),
  content_types: ['dcim.device'],
};
const counts = (...names: string[]) => Object.fromEntries(names.map((name) => [`${name}_count`, 0]));

/** A device as Nautobot lists it with `depth=1`, with every field that its document requires. */
export const nautobotDevice = (name: string) => ({
  ...object('dcim.device', 'dcim/devices', name),
  device_type: reference('dcim.devicetype', 'dcim/device-types'),
  role: reference('extras.role', 'extras/roles'),
  platform: {
    ...object('dcim.platform', 'dcim/platforms', 'Cisco IOS'),
    ...counts('device', 'virtual_machine'),
    network_driver: 'cisco_ios',
    network_driver_mappings: { netmiko: 'cisco_ios' },
  },
  location: {
    ...object('dcim.location', 'dcim/locations', 'Berlin'),
    ...counts('circuit', 'device', 'prefix', 'rack', 'virtual_machine', 'vlan'),
    location_type: reference('dcim.locationtype', 'dcim/location-types'),
    status: reference('extras.status', 'extras/statuses'),
    tree_depth: 1,
  },
  status,
  primary_ip4: {
    ...object('ipam.ipaddress', 'ipam/ip-addresses', '192.0.2.11/24'),
    address: '192.0.2.11/24',
    host: '192.0.2.11',
    mask_length: 24,
    ip_version: 4,
    status: reference('extras.status', 'extras/statuses'),
  },
  primary_ip6: null,
  tags: [{ ...object('extras.tag', 'extras/tags', 'Core'), content_types: ['dcim.device'], tagged_items: 1 }],
  custom_fields: { rack_unit: 12 },
});
