import { Link } from '@tanstack/react-router';
import { useUrlState } from '~/app/url-state.ts';

type TabLinksProps<Key extends string> = {
  /** The accessible name: what the tabs divide. */
  label: string;
  tabs: readonly { key: Key; label: string }[];
  current: Key;
};

/** Tabs of one page as links: the chosen one stands in the address as `tab`, so that it can be shared. */
export function TabLinks<Key extends string>({ label, tabs, current }: TabLinksProps<Key>) {
  return (
    <nav className="tabs" aria-label={label}>
      {tabs.map((tab) => (
        <Link
          key={tab.key}
          to="."
          search={{ tab: tab.key } as never}
          aria-current={tab.key === current ? 'page' : undefined}
        >
          {tab.label}
        </Link>
      ))}
    </nav>
  );
}

/** The tab that the address names, else the first. */
export function useTab<Key extends string>(tabs: readonly { key: Key }[]): Key {
  const [{ tab }] = useUrlState();
  const [first] = tabs;
  if (!first) throw new Error('A page with tabs has at least one');
  return tabs.find(({ key }) => key === tab)?.key ?? first.key;
}
