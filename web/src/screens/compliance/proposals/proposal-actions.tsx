import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { useMay, useWhoAmI } from '~/api/use-may.ts';
import { Button } from '~/ui/button.tsx';
import { TextArea } from '~/ui/fields.tsx';
import { FormDialog } from '~/ui/overlays/dialog.tsx';
import { ActionMenu } from '~/ui/overlays/menu.tsx';
import { showToast } from '~/ui/overlays/toast.tsx';

type Proposal = Outputs['configurationManager']['getRemediation'];
type Step = 'approve' | 'reject' | 'apply' | 'delete';

/** What may be done with a proposal now, by its state and the rights of the account. */
export function useProposalRights({ status, authors, risk }: Proposal) {
  const may = useMay();
  const who = useWhoAmI();
  const isAuthor = who !== undefined && authors.includes(who.id);
  const mayApprove = may('configurationManager.approveRemediation');
  const isOpen = status === 'proposed' || status === 'approved';
  return {
    isAuthor,
    mayApprove,
    canChange: isOpen && may('configurationManager.selectRemediationChanges'),
    canApprove: status === 'proposed' && mayApprove && !isAuthor && risk === '',
    canReject: isOpen && may('configurationManager.rejectRemediation'),
    canApply: status === 'approved' && may('configurationManager.applyRemediation'),
    canDelete:
      !['approved', 'applying', 'applied', 'failed'].includes(status) &&
      may('configurationManager.deleteRemediation'),
  };
}

/** The actions of a proposal; each asks once more and shows exactly what it is about. */
export function ProposalActions({ proposal }: { proposal: Proposal }) {
  const [step, setStep] = useState<Step>();
  const { canApprove, canReject, canApply, canDelete } = useProposalRights(proposal);
  const close = () => setStep(undefined);
  return (
    <>
      {canDelete && (
        <ActionMenu
          label="More"
          actions={[{ label: 'Delete proposal', onAction: () => setStep('delete') }]}
        />
      )}
      {canReject && (
        <Button variant="danger" onPress={() => setStep('reject')}>
          Reject
        </Button>
      )}
      {canApprove && (
        <Button variant="primary" onPress={() => setStep('approve')}>
          Approve
        </Button>
      )}
      {canApply && (
        <Button variant="primary" onPress={() => setStep('apply')}>
          Apply to the device
        </Button>
      )}
      {step === 'approve' && <ApproveDialog proposal={proposal} onClose={close} />}
      {step === 'reject' && <RejectDialog proposal={proposal} onClose={close} />}
      {step === 'apply' && <ApplyDialog proposal={proposal} onClose={close} />}
      {step === 'delete' && <DeleteDialog proposal={proposal} onClose={close} />}
    </>
  );
}

type StepProps = { proposal: Proposal; onClose: () => void };

const useRefresh = () => {
  const queryClient = useQueryClient();
  const { getRemediation, searchRemediations, countRemediations } = trpc.configurationManager;
  return () =>
    Promise.all(
      [getRemediation, searchRemediations, countRemediations].map((procedure) =>
        queryClient.invalidateQueries(procedure.pathFilter()),
      ),
    );
};

type ExactTextProps = { label?: string; text: string; hash: string };

/** The text as it will be pushed, with its hash. */
export function ExactText({ label = 'Exact commands', text, hash }: ExactTextProps) {
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <section className="code-frame" tabIndex={0} aria-label={label}>
        <pre>{text}</pre>
      </section>
      <p className="small muted">
        SHA-256 <code className="hash">{hash}</code>
      </p>
    </>
  );
}

function ApproveDialog({ proposal, onClose }: StepProps) {
  // The text of the moment in which the dialog was opened: a later change is rejected by its hash.
  const [{ id, config, configSha256, deviceName }] = useState(proposal);
  const [comment, setComment] = useState('');
  const approve = useMutation(trpc.configurationManager.approveRemediation.mutationOptions());
  const refresh = useRefresh();
  return (
    <FormDialog
      title={`Approve the commands for ${deviceName}`}
      action="Approve this text"
      size="wide"
      isOpen
      onClose={onClose}
      onSubmit={async () => {
        await approve.mutateAsync({ id, configSha256, ...(comment && { comment }) }).finally(refresh);
        showToast('Approved: exactly this text may be applied.');
      }}
    >
      <ExactText text={config} hash={configSha256} />
      <TextArea label="Comment" rows={2} value={comment} onChange={setComment} />
    </FormDialog>
  );
}

/** Asks for the reason, and rejects a proposal. */
export function RejectDialog({ proposal: { id, deviceName }, onClose }: StepProps) {
  const [reason, setReason] = useState('');
  const reject = useMutation(trpc.configurationManager.rejectRemediation.mutationOptions());
  const refresh = useRefresh();
  return (
    <FormDialog
      title={`Reject the proposal for ${deviceName}`}
      action="Reject"
      isDanger
      isOpen
      onClose={onClose}
      isReady={reason.trim() !== ''}
      onSubmit={async () => {
        await reject.mutateAsync({ id, reason: reason.trim() });
        await refresh();
      }}
    >
      <TextArea label="Reason" rows={3} isRequired value={reason} onChange={setReason} />
    </FormDialog>
  );
}

function ApplyDialog({ proposal, onClose }: StepProps) {
  const [{ id, config, configSha256, deviceName, approvals }] = useState(proposal);
  const refresh = useRefresh();
  return (
    <FormDialog
      title={`Apply to ${deviceName}`}
      action="Push these lines"
      size="wide"
      isDanger
      isOpen
      onClose={onClose}
      onSubmit={async () => {
        const { message } = await api.configurationManager.applyRemediation
          .mutate({ id, configSha256 })
          .finally(refresh);
        showToast(message);
      }}
    >
      <p>
        The device is backed up, must still have the configuration of the proposal, is sent these lines until
        it rejects one, and is checked again. Nothing is rolled back automatically. Approved by{' '}
        {approvals.map(({ username }) => username).join(', ')}.
      </p>
      <ExactText text={config} hash={configSha256} />
    </FormDialog>
  );
}

function DeleteDialog({ proposal: { id, deviceName }, onClose }: StepProps) {
  const navigate = useNavigate();
  const remove = useMutation(trpc.configurationManager.deleteRemediation.mutationOptions());
  const refresh = useRefresh();
  return (
    <FormDialog
      title={`Delete the proposal for ${deviceName}?`}
      action="Delete"
      isDanger
      isOpen
      onClose={onClose}
      onSubmit={async () => {
        await remove.mutateAsync({ id });
        await navigate({ to: '/proposals' });
        await refresh();
      }}
    >
      <p>Its commands and its history are deleted too; the report stays.</p>
    </FormDialog>
  );
}
