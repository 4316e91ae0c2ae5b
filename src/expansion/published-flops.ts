/** The FLOPs column of the paper (tables 2 to 4): times BERT-Large. */
export const publishedFlops: Readonly<Record<string, number>> = {
  L: 1,
  B: 0.28,
  LLL: 11.19,
  LTL: 11.0,
  LSL: 11.0,
  LML: 11.01,
  LBL: 11.05,
  LMT: 1.03,
  LMS: 1.12,
  LMM: 1.85,
  LMB: 3.83,
  LLT: 1.2,
  LLS: 1.3,
  LLM: 2.03,
  LLB: 4.01,
};
