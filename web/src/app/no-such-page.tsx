import { Page } from '~/ui/page.tsx';
import { Empty } from '~/ui/states.tsx';

/** Shown at an address of which the console has no page. */
export function NoSuchPage() {
  return (
    <Page title="Page not found">
      <Empty title="The console has no page at this address">
        <p>Choose one from the navigation, or search with Ctrl K.</p>
      </Empty>
    </Page>
  );
}
