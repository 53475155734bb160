const $ = (id) => document.getElementById(id);

/** One call to the controls of the sandbox; throws what it answers when it refuses. */
export async function call(method, path, body) {
  const response = await fetch(`/sandbox/${path}`, {
    method,
    ...(body && { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error ?? response.statusText);
  return answer;
}

/** Does something for the user and says on the page what became of it when it failed. */
export async function attempt(action) {
  $("problem").textContent = "";
  try {
    await action();
  } catch (error) {
    $("problem").textContent = error.message;
  }
}
