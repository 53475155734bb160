/** What was told holds for eight seconds at the server. */
const AGAIN_AFTER_MS = 4000;

/**
 * Makes of every key a few messages: one when the visitor begins to write, one every four seconds while they go on, and
 * one when the field is empty again.
 */
export function createTypingTeller(tell: (isTyping: boolean) => void): (isTyping: boolean) => void {
  let toldAt = 0;
  return (isTyping) => {
    const isOld = Date.now() - toldAt > AGAIN_AFTER_MS;
    if (isTyping && isOld) {
      toldAt = Date.now();
      tell(true);
    }
    if (!isTyping && !isOld) tell(false);
    if (!isTyping) toldAt = 0;
  };
}
