import type { Form, Harbour } from './form.ts';

/** The forms of devices, backups, inventory and commands. */
export const formsOfDevices = ({ groupId, selectedGroupId, admin }: Harbour): Form[] => [
  {
    file: 'screens/backups/backup-now.tsx',
    path: '/backups',
    open: ['Back up devices'],
    unfold: 'Retries, windows and more',
    text: { 'Name pattern': 'quay-*', 'Description of the backups': 'before the storm' },
    send: /^Back up 3 devices/,
  },
  {
    file: 'screens/backups/policy.tsx',
    path: '/backups?tab=policy',
    text: { 'Newest backups of each device': '40', Days: '400' },
    meanwhile: () => admin.configurationManager.replaceBackupPolicy({ keep: { count: 41 } }),
    send: 'Save',
  },
  {
    file: 'screens/backups/schedule-form.tsx',
    path: '/backups?tab=schedules',
    open: ['Create schedule'],
    choose: { Schedule: 'day' },
    text: { Name: 'Nightly', 'Name pattern': 'quay-*', 'Time of day': '03:15' },
    send: 'Create schedule',
  },
  {
    file: 'screens/commands/plan-form.tsx',
    path: '/commands?devices=quay-1',
    text: { 'Commands to send': 'show version' },
    send: /^Run 1 command on 1 device/,
    // The device itself refuses the connection.
    status: 502,
  },
  {
    file: 'screens/commands/save-template.tsx',
    path: '/commands?devices=quay-1',
    prepare: (page) => page.getByLabel('Commands to send').fill('show clock'),
    open: ['Save as command template'],
    text: { Name: 'Clocks', Description: 'Of all quays' },
    send: 'Save template',
  },
  {
    file: 'screens/devices/bulk-dialog.tsx',
    path: '/devices',
    prepare: (page) => page.getByRole('checkbox', { name: 'Select row 1', exact: true }).check(),
    open: ['Add to group'],
    text: { 'Name of the new group': 'Piers' },
    send: 'Add 1 device',
  },
  {
    file: 'screens/devices/group-page.tsx',
    path: `/device-groups/${groupId}`,
    open: ['Add devices'],
    text: { Devices: 'quay-2\nquay-3' },
    send: 'Add 2 devices',
  },
  {
    file: 'screens/devices/group-page.tsx',
    path: `/device-groups/${groupId}`,
    open: ['Rename'],
    text: { Name: 'Old quays', Description: 'Of stone' },
    send: 'Save',
  },
  {
    file: 'screens/devices/group-page.tsx',
    path: `/device-groups/${selectedGroupId}`,
    open: ['Change selection'],
    text: { 'Name pattern': 'quay-1' },
    send: 'Save: 1 device',
  },
  {
    file: 'screens/devices/groups-page.tsx',
    path: '/device-groups',
    open: ['Create group'],
    text: { Name: 'Moles', Description: 'Of stone', Devices: 'quay-1' },
    send: 'Create group',
  },
  {
    file: 'screens/inventory/csv-import-page.tsx',
    path: '/inventory/import',
    text: { 'Or pasted text': 'name,host,device_type\nquay-9,192.0.2.11,cisco-ios\n' },
    send: 'Dry run',
  },
  {
    file: 'screens/inventory/source-form.tsx',
    path: '/inventory/sources',
    open: ['Create source'],
    text: { Name: 'register', Address: 'https://register.example.net', Token: 'a-token-of-the-register' },
    send: 'Create source',
  },
];
