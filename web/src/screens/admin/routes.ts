import type { PageRoute } from '~/app/routes.tsx';

export const adminRoutes: PageRoute[] = [];
