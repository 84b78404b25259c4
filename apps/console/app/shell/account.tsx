import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { LogOut } from 'lucide-react';
import { callerQuery } from '../api/caller.ts';
import { ravi } from '../api/client.ts';
import { IconButton } from '../ui/button.tsx';
import { useTell } from '../ui/toasts.tsx';

/** The signed-in principal with its roles, and a button to sign out. */
export function Account() {
  const client = useQueryClient();
  const tell = useTell();
  const { data: caller } = useQuery(callerQuery());
  const signOut = useMutation({
    mutationFn: () => ravi.login.signOut(),
    // The next request is refused, which shows the page to sign in.
    onSuccess: () => client.invalidateQueries(),
    onError: ({ message }) => tell(message),
  });
  if (caller === undefined) return null;
  return (
    <div className="account">
      <p>
        <span className="account-name">{caller.principal}</span>
        <span className="muted">{caller.roles.join(', ')}</span>
      </p>
      {caller.isSignedIn && <IconButton label="Sign out" icon={LogOut} onClick={() => signOut.mutate()} />}
    </div>
  );
}
