import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient, trpc } from './api/client.ts';
import { router } from './app/routes.tsx';
import { parseSearch } from './app/url-state.ts';
import { readJobsAhead } from './screens/jobs/jobs-page.tsx';
import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import './ui/styles/tokens.css';
import './ui/styles/base.css';
import './ui/styles/controls.css';
import './ui/styles/table.css';
import './ui/styles/overlays.css';
import './ui/styles/shell.css';

// Requests the data of the first page before that page is rendered.
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
