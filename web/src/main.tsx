import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient, trpc } from './api/client.ts';
import { router } from './app/routes.tsx';
import { parseSearch } from './app/url-state.ts';
import { readJobsAhead } from './screens/jobs/jobs-page.tsx';
import './ui/tokens.css';
import './ui/base.css';

// What the first page needs is asked for before the first page is drawn.
void queryClient.prefetchQuery(trpc.session.whoAmI.queryOptions({}));
void queryClient.prefetchQuery(trpc.session.getSettings.queryOptions({}));
if (/^\/console(\/jobs)?\/?$/.test(window.location.pathname))
  readJobsAhead(parseSearch(window.location.search));

const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  );
}
