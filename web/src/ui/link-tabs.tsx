import { Link } from '@tanstack/react-router';
import { useUrlState } from '~/app/url-state.ts';
import { useTabTitle } from './page-title.ts';

type LinkTabsProps<Key extends string> = {
  label: string;
  tabs: readonly { key: Key; title: string }[];
};

/** Tabs whose choice is kept in the address as `tab`; the first is the default. */
export function LinkTabs<Key extends string>({ label, tabs }: LinkTabsProps<Key>) {
  const current = useTab(tabs.map(({ key }) => key));
  useTabTitle(tabs.slice(1).find(({ key }) => key === current)?.title ?? '');
  return (
    <nav className="tabs" aria-label={label}>
      {tabs.map(({ key, title }, index) => (
        <Link
          key={key}
          to="."
          // Without it, the first tab counts as current beside every other one.
          activeOptions={{ exact: true }}
          search={{ tab: index === 0 ? undefined : key }}
          aria-current={key === current ? 'page' : undefined}
        >
          {title}
        </Link>
      ))}
    </nav>
  );
}

/** The chosen tab of the address: one of `keys`, else the first. */
export function useTab<Key extends string>(keys: readonly Key[]): Key {
  const [{ tab }] = useUrlState();
  return keys.find((key) => key === tab) ?? (keys[0] as Key);
}
