import type { PageRoute } from '~/app/routes.tsx';

export const automationRoutes: PageRoute[] = [];
