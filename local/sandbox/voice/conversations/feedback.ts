import { z } from "zod";

/** Feedback on a conversation: stars at its end, thumbs during it. */
export interface Feedback {
  rating: number | null;
  comment: string | null;
  likes: number;
  dislikes: number;
}

/** The body of `POST /v1/convai/conversations/{id}/feedback`. */
export const feedbackSchema = z.union([
  z.looseObject({ feedback: z.enum(["like", "dislike"]) }),
  z.looseObject({ rating: z.number().int().min(1).max(5), comment: z.string().nullish() }),
]);

export function noFeedback(): Feedback {
  return { rating: null, comment: null, likes: 0, dislikes: 0 };
}

/** Adds the feedback of a request. */
export function addFeedback(feedback: Feedback, given: z.infer<typeof feedbackSchema>): void {
  if ("feedback" in given) feedback[given.feedback === "like" ? "likes" : "dislikes"] += 1;
  else Object.assign(feedback, { rating: given.rating, comment: given.comment ?? null });
}

/** The feedback in a conversation's `metadata`. */
export function feedbackView({ rating, comment, likes, dislikes }: Feedback): Record<string, unknown> {
  return { type: rating === null ? null : "rating", rating, comment, overall_score: null, likes, dislikes };
}
