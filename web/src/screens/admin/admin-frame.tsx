import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type ProcedureName, useMay } from '~/api/use-may.ts';
import { Page } from '~/ui/page.tsx';

type Tab = { path: string; label: string; needs: ProcedureName };

const TABS: readonly Tab[] = [
  { path: '/admin/health', label: 'Health', needs: 'health.getSystem' },
  { path: '/admin/accounts', label: 'Accounts', needs: 'authorization.listAccounts' },
  { path: '/admin/groups', label: 'Groups', needs: 'authorization.listGroups' },
  { path: '/admin/roles', label: 'Roles', needs: 'authorization.listRoles' },
  { path: '/admin/service-accounts', label: 'Service accounts', needs: 'oauth.listServiceAccounts' },
  { path: '/admin/tokens', label: 'Tokens', needs: 'authorization.listTokens' },
  { path: '/admin/adapters', label: 'Adapters', needs: 'adapters.listAdapters' },
  { path: '/admin/applications', label: 'Applications', needs: 'applications.getApplications' },
  { path: '/admin/profiles', label: 'Profiles', needs: 'profiles.getProfiles' },
  { path: '/admin/workers', label: 'Workers', needs: 'workflowEngine.getWorkersStatus' },
  { path: '/admin/sign-in', label: 'Sign-in', needs: 'signIn.listProviders' },
  { path: '/admin/access', label: 'Access by default', needs: 'authorization.getAccessDefault' },
  { path: '/admin/secrets', label: 'Secrets', needs: 'secrets.listProviders' },
  { path: '/admin/git', label: 'Git', needs: 'git.listRemotes' },
  { path: '/admin/notifications', label: 'Notifications', needs: 'notifications.listRules' },
  { path: '/admin/retention', label: 'Retention', needs: 'retention.getSettings' },
  { path: '/admin/outgoing', label: 'Outgoing targets', needs: 'outgoing.getTargets' },
  { path: '/admin/audit', label: 'Audit trail', needs: 'audit.listEntries' },
];

type AdminFrameProps = { current: string; actions?: ReactNode; children: ReactNode };

/** Screen 13: administration, whose tabs are pages of their own. @param current the label of the tab */
export function AdminFrame({ current, actions, children }: AdminFrameProps) {
  const may = useMay();
  return (
    <Page title="Admin" actions={actions}>
      <nav className="tabs" aria-label="Administration">
        {TABS.filter(({ needs }) => may(needs)).map(({ path, label }) => (
          <Link key={path} to={path} aria-current={label === current ? 'page' : undefined}>
            {label}
          </Link>
        ))}
      </nav>
      {children}
    </Page>
  );
}

/** Returns the frame of a list of the administration. @param current the label of its tab */
export const inAdmin = (current: string) => (actions: ReactNode, list: ReactNode) => (
  <AdminFrame current={current} actions={actions}>
    {list}
  </AdminFrame>
);

/** The way back from the page of one object of the administration. */
export const AdminPath = ({ to, label }: { to: string; label: string }) => (
  <>
    <Link to="/admin">Admin</Link> / <Link to={to}>{label}</Link>
  </>
);
