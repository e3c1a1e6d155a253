import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { useWhoAmI } from '~/api/use-may.ts';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { Badge } from '~/ui/badge.tsx';
import { Button } from '~/ui/button.tsx';
import { Details } from '~/ui/details.tsx';
import { useDraft } from '~/ui/form/use-draft.ts';
import { FormDialog } from '~/ui/overlays/dialog.tsx';
import { showToast } from '~/ui/overlays/toast.tsx';
import { QueryView } from '~/ui/states.tsx';
import { Time } from '~/ui/time.tsx';
import { ConfirmCode } from './confirm-code.tsx';
import { NO_PROOF, ProofFields, sentProof } from './proof-fields.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';
import { type Factors, SecurityKeys } from './security-keys.tsx';

type Status = Outputs['session']['getSecondFactor'];
type Begun = Outputs['session']['startSecondFactor'];

/** The second factor of one's own account: one-time passwords of an authenticator, and security keys. */
export function SecondFactor() {
  const status = useQuery(trpc.session.getSecondFactor.queryOptions({}));
  const [codes, setCodes] = useState<readonly string[]>();
  return (
    <section className="card" aria-label="Second factor">
      <h2>Second factor</h2>
      <QueryView query={status} loading="Loading the second factor">
        {(data) => <Body status={data} onRecoveryCodes={setCodes} />}
      </QueryView>
      {codes && <RecoveryCodes codes={codes} onClose={() => setCodes(undefined)} />}
    </section>
  );
}

type BodyProps = { status: Status; onRecoveryCodes: (codes: readonly string[]) => void };

function Body({ status, onRecoveryCodes }: BodyProps) {
  const { enabled, since, recoveryCodesLeft, oneTimePasswords, securityKeys } = status;
  const username = useWhoAmI()?.username ?? '';
  const [open, setOpen] = useState<'start' | 'disable'>();
  const [begun, setBegun] = useState<Begun>();
  const close = () => setOpen(undefined);
  const factors: Factors = { username, isFactorNeeded: enabled, hasKeys: securityKeys > 0 };
  return (
    <>
      <p className="row">
        <Badge tone={enabled ? 'good' : 'neutral'}>{enabled ? 'on' : 'off'}</Badge>
        {enabled ? 'Signing in needs a second factor.' : 'Signing in needs only the password.'}
      </p>
      {enabled && (
        <Details
          entries={[
            ['Since', since && <Time key="since" value={since} />],
            ['Recovery codes left', String(recoveryCodesLeft)],
          ]}
        />
      )}
      <div className="row">
        <h3>One-time passwords</h3>
        {oneTimePasswords ? (
          <Button variant="danger" onPress={() => setOpen('disable')}>
            Remove one-time passwords
          </Button>
        ) : (
          <Button onPress={() => setOpen('start')}>Set up one-time passwords</Button>
        )}
      </div>
      <SecurityKeys factors={factors} onRecoveryCodes={onRecoveryCodes} />
      {open === 'start' && <Start factors={factors} onClose={close} onBegun={setBegun} />}
      {open === 'disable' && <Disable factors={factors} onClose={close} />}
      {begun && (
        <ConfirmCode begun={begun} onClose={() => setBegun(undefined)} onConfirmed={onRecoveryCodes} />
      )}
    </>
  );
}

type FactorDialogProps = { factors: Factors; onClose: () => void };

function Start({ factors, onClose, onBegun }: FactorDialogProps & { onBegun: (begun: Begun) => void }) {
  const [proof, change] = useDraft(NO_PROOF);
  return (
    <FormDialog
      title="Set up one-time passwords"
      action="Continue"
      isOpen
      onClose={onClose}
      isReady={proof.password !== ''}
      onSubmit={async () =>
        onBegun(await api.session.startSecondFactor.mutate(await sentProof(proof, factors)))
      }
    >
      <p>An authenticator on your phone then shows a code that you enter after your password.</p>
      <ProofFields proof={proof} onChange={change} {...factors} />
    </FormDialog>
  );
}

function Disable({ factors, onClose }: FactorDialogProps) {
  const refresh = useRefresh(trpc.session.getSecondFactor.pathFilter());
  const [proof, change] = useDraft(NO_PROOF);
  return (
    <FormDialog
      title="Remove one-time passwords"
      action="Remove one-time passwords"
      isDanger
      isOpen
      onClose={onClose}
      isReady={proof.password !== '' && (factors.hasKeys || proof.code.trim() !== '')}
      onSubmit={async () => {
        const { message } = await api.session.disableSecondFactor.mutate(await sentProof(proof, factors));
        showToast(message);
        await refresh();
      }}
    >
      <ProofFields proof={proof} onChange={change} {...factors} />
    </FormDialog>
  );
}
