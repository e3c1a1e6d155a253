import { page } from '~/app/page-route.tsx';

export const deviceRoutes = [
  page({
    path: '/devices',
    search: ['field', 'origin', 'q', 'sort'],
    load: async () => (await import('./devices-page.tsx')).DevicesPage,
  }),
  page({
    path: '/devices/$name',
    search: ['after', 'backup', 'before', 'q', 'sort', 'swapped', 'tab', 'variable'],
    load: async () => (await import('./device-page.tsx')).DevicePage,
  }),
  page({
    path: '/device-templates',
    search: ['q', 'sort'],
    load: async () => (await import('./templates/device-templates-page.tsx')).DeviceTemplatesPage,
  }),
  page({
    path: '/device-groups',
    search: ['q', 'sort'],
    load: async () => (await import('./groups-page.tsx')).GroupsPage,
  }),
  page({
    path: '/device-groups/$groupId',
    search: ['q', 'sort'],
    load: async () => (await import('./group-page.tsx')).GroupPage,
  }),
] as const;
