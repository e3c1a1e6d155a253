import type { PageRoute } from '~/app/routes.tsx';

export const deviceRoutes: PageRoute[] = [
  { path: '/devices', load: async () => (await import('./devices-page.tsx')).DevicesPage },
  { path: '/devices/$name', load: async () => (await import('./device-page.tsx')).DevicePage },
  {
    path: '/device-templates',
    load: async () => (await import('./templates/device-templates-page.tsx')).DeviceTemplatesPage,
  },
  { path: '/device-groups', load: async () => (await import('./groups-page.tsx')).GroupsPage },
  { path: '/device-groups/$groupId', load: async () => (await import('./group-page.tsx')).GroupPage },
];
