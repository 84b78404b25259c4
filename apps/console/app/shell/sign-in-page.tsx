import { useMutation } from '@tanstack/react-query';
import { ravi } from '../api/client.ts';
import { Button } from '../ui/button.tsx';
import { ErrorText } from '../ui/error-notice.tsx';

/** Page that signs in with a token. */
export function SignInPage({ onSignedIn }: { readonly onSignedIn: () => void }) {
  const signIn = useMutation({
    mutationFn: (token: string) => ravi.login.signIn({ token }),
    onSuccess: onSignedIn,
  });

  return (
    <main className="sign-in">
      <form
        className="panel"
        onSubmit={(event) => {
          event.preventDefault();
          const token = new FormData(event.currentTarget).get('token');
          if (typeof token === 'string') signIn.mutate(token);
        }}
      >
        <h1>Sign in to Ravi</h1>
        <p className="muted">
          This server needs an access token; its operator has set it under <code>server.tokens</code>. The browser keeps
          it in a cookie that scripts cannot read.
        </p>
        <label className="field">
          <span className="field-label">Your token</span>
          <input name="token" type="password" autoComplete="current-password" required />
        </label>
        <ErrorText error={signIn.error} />
        <Button variant="primary" type="submit" isBusy={signIn.isPending}>
          Sign in
        </Button>
      </form>
    </main>
  );
}
