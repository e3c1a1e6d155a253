import { queryClient, trpc } from './api/client.ts';
import { parseSearch } from './app/search-params.ts';
import { readJobsAhead } from './screens/jobs/job-query.ts';
import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import './ui/styles/tokens.css';
import './ui/styles/base.css';
import './ui/styles/controls.css';
import './ui/styles/table.css';
import './ui/styles/overlays.css';
import './ui/styles/shell.css';
import './ui/styles/print.css';
// The first page has one style sheet: another one would be a request of its own before anything is drawn.
import './screens/jobs/jobs.css';

// Requests the data of the first page while the code that draws it, by far the larger part, is still arriving.
void queryClient.prefetchQuery(trpc.session.whoAmI.queryOptions({}));
void queryClient.prefetchQuery(trpc.session.getSettings.queryOptions({}));
if (/^\/console(\/jobs)?\/?$/.test(window.location.pathname))
  readJobsAhead(parseSearch(window.location.search));

// The first text in a language reads the data of all languages: now, while the processor waits for the network.
new Date().toLocaleString('en-GB');

/** Draws the console; its code is asked for again every two seconds, because nothing else would be drawn without it. */
function open(): void {
  import('./app/console.tsx').catch(() => setTimeout(open, 2000));
}
open();
