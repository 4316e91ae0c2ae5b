// Written by scripts/fixtures/bert/unicode_tables.py; do not edit.
// The treatment of each code point by Hugging Face's tokenizers 0.23.3. Sets are gap and length of each range, base 36.

/** Dropped by text cleaning: controls, formats, private use. */
export const REMOVED =
  '0 9 2 2 1 i 2n x d 1 11u 6 m 1 5c 1 1d 1 3cu 1 1ks 5 q 5 1d 5 1 a 11u8 4xs 16n 1 6x 3 1 1 3b3 1 xya ' +
  '4 43z 8 h406 1 u 2o 1egw 1eke 2 1eke';

/** White space: separates words. */
export const SPACES = '9 5 i 1 2s 1 q 1 4bj 1 1vj b t 2 5 1 1b 1 334 1';

/** A word of its own. */
export const PUNCTUATION =
  'x f a 7 q 6 q 4 y 1 5 1 3 1 a 2 3 1 3 1 ji 1 8 1 cy 6 15 2 1f 1 1 1 2 1 2 1 18 2 k 2 1 2 d 1 2 2 22 ' +
  '4 2u 1 17 e 6h 3 1i f v 1 79 2 a 1 an 1 lf 1 2i 1 a 2 4o f 1 1 11 4 1z 1 22 5 4 2 33 6 4r 1 h0 9 47 ' +
  '1 h8 2 18 2 26 3 1z 2 4d 3 1 3 11 b 8p 2 60 2 3k 7 1 6 4s 7 4b 4 1n 5 1q 2 1s 8 b 1 n0 o 8 k 1 d 1 ' +
  'c u 2 e 2 hl 4 t 2 u5 e 27 2 v a b7 m 1r 4 w 2 l7 4 1 2 34 1 3z 1b 1 j ce 3 4 a 2 c g 1 c 1 2q 1 2i ' +
  '1 mwy 2 7h 3 2r 1 a 1 37 6 ak 4 2e 2 14 3 1 1 1d 2 1b 1 2p d g 2 3g 4 3i 2 g 2 6x 1 g2a 2 5s a m z ' +
  '1 e 1 1 4 1 1 2 45 3 1 6 1 4 a 2 3 2 q 3 1 1 r 1 1 1 1 7 be 3 ik 1 1c 1 bi 1 kn 1 5j 1 v 1 7k 9 12 ' +
  '1 34 7 1u 7 2h 4 x6 7 31 2 1 4 3i 4 1c 2 27 5 3 1 d 1 1 3 2g 6 2z 1 f0 1 6y n 2x 3 6w 3 2lt 5 dtl 2 ' +
  '3p 1 1t 5 8 1 g2i 1 5wn 5';

/** CJK ideographs, set apart by spaces on request. */
export const IDEOGRAPHS = 'a9s 534 1s g74 hkw e8 1fk0 wyo w 3ds 74 49c 85s f4';

/** Non-spacing marks, dropped when accents are stripped. */
export const MARKS =
  'lc 34 7n 5 7d 19 1 1 1 2 1 2 1 1 20 b 1c l g 1 2t 7 2 6 2 2 1 4 z 1 u r 2j b 1m 9 y 4 1 9 1 3 1 5 ' +
  '17 3 3r w 1j 1 1 1 4 8 4 1 3 7 a 2 t 1 1m 1 4 4 8 1 k 2 t 2 1l 1 4 2 4 2 2 3 3 1 u 2 3 1 b 2 1l 1 4 ' +
  '5 1 2 4 1 k 2 t 1 1m 1 2 1 1 4 8 1 8 1 b 2 u 1 1p 1 c 1 1e 1 1p 3 5 3 1 4 7 2 b 2 t 1 1m 1 2 1 6 1 ' +
  '5 2 k 2 t 1 1r 4 8 1 k 2 2u 1 7 3 1 1 2i 1 2 7 c 8 2q 1 2 6 1 2 b 6 22 2 r 1 1 1 1 1 1j e 1 5 1 2 5 ' +
  'b 1 10 9 1 2u 4 1 6 1 2 2 2 p 2 4 3 g 4 d 1 2 2 6 1 f 1 jj 3 qa 3 t 3 t 2 u 2 1s 2 1 7 8 1 2 b 9 1 ' +
  '19 3 4b 1 3a 3 4 2 9 1 6 3 63 2 2 1 1m 1 1 7 1 1 1 1 2 8 6 a 2 1 1c e 1u 4 1c 1 1 5 1 1 5 1 14 9 c ' +
  '2 w 4 2 2 1 3 1k 1 1 2 3 1 1 3 1m 8 2 2 48 3 1 d 1 7 4 1 6 1 3 2 5i 1i 6 4 k0 d 4 1 3 c 2da 3 3x 1 ' +
  '2o w fe 4 2z 2 n9w 1 4 a w 2 28 2 7k 1 3 1 4 1 p 2 4d 1 r i 1g 8 p b 1a 3 1c 1 2 4 2 1 14 1 1v 6 2 ' +
  '2 2 2 c 1 8 1 1b 1 1f 1 1 3 2 2 5 2 1 1 16 2 8 1 6m 1 2 1 4 1 fn4 1 kh g g g r1 1 6a 1 45 5 1ae 3 1 ' +
  '2 5 4 14 3 4 1 4l 2 10a 1 1i f 1k 3 1d 4 2 2 1x 3 10 5 1 8 1q 1 c 2 1g 9 b 3 2q 3 2 1 1 2 4n 1 3 8 ' +
  'l 2 1m 1 3 1 11 7 3 5 8u 6 1 1 4 2 1 2 6m 4 6 2 1 2 r 2 2d 8 2 1 1 2 2y 1 1 1 2 6 1 1 2t 3 2 4 1 5 ' +
  'gjo 5 1n 7 uw 4 f7u 2 43s 3 h 8 2 7 u 4 44 3 1iz 1j 4 1e 8 1 e 1 m 5 1 f 2sg 7 gzl5 6o';

/** Part of a word, to added tokens that must stand alone. */
export const WORD =
  '1c a 7 q 4 1 1 q 1b 1 a 1 4 1 5 n 1 v 1 cq 4 c e 5 7 1 1 1 h 39 1 2 2 4 1 1 6 1 1 3 1 1 1 k 1 2b 1 ' +
  '3v 1 4t 1 12 2 1 6 15 8 19 1 1 1 2 1 2 1 1 8 r 4 4 t b 5 22 4 2u 1 8 2 a 1 j 2 1 g 1n 2 2t e 1i 4 1 ' +
  '2 1 2 1a i s 4 b 5 o 1 6 8 23 1 3l 2 a 1 j 1 8 2 2 2 m 1 7 1 1 3 4 2 9 2 2 2 4 8 1 4 2 1 5 2 c a 1 ' +
  '1 1 2 3 1 6 4 2 2 m 1 7 1 2 1 2 1 2 2 1 1 5 4 2 2 3 3 1 7 4 1 1 7 g b 3 1 9 1 3 1 m 1 7 1 2 1 5 2 a ' +
  '1 3 1 3 2 1 f 4 2 a 9 7 1 3 1 8 2 2 2 m 1 7 1 2 1 5 2 9 2 2 2 3 7 3 4 2 1 5 2 a 1 1 g 2 1 6 3 3 1 4 ' +
  '3 2 1 1 1 2 3 2 3 3 3 c 4 5 3 3 1 4 2 1 6 1 e a g d 1 3 1 n 1 g 2 9 1 3 1 4 7 2 1 3 2 1 2 4 2 a g 4 ' +
  '1 8 1 3 1 n 1 a 1 5 2 9 1 3 1 4 7 2 6 2 1 4 2 a 1 3 c d 1 3 1 1f 1 3 1 5 5 4 7 5 2 a a 6 1 3 1 i 3 ' +
  'o 1 9 1 1 2 7 3 1 4 6 1 1 1 8 6 a 2 2 d 1m 5 f 1 a 13 2 1 1 1 5 1 o 1 1 1 n 2 5 1 1 1 7 1 a 2 4 w 1 ' +
  'n 2 6 a b 1 1 1 1 1 4 a 1 10 4 k 1 i 1 10 9 1 1l 22 6 26 2 12 1 1 5 1 2 17 1 99 1 4 2 7 1 1 1 4 2 ' +
  '15 1 4 2 x 1 4 2 7 1 1 1 4 2 f 1 1l 1 4 2 1v 2 3 w g g 2e 2 6 3 h8 2 h 1 q 5 23 3 b 7 m 9 m b k c d ' +
  '1 3 1 2 c 2c 3 1 4 2 2 a x 3 1 b 6 2h 7 17 5 1y a v 1 c 4 c a 14 2 5 b 18 4 q 6 a 12 s 4 1r 1 t 2 b ' +
  '6 a d 1 8 v 1d 25 3 a h 9 c 38 c 1k 8 a 3 1d 2 b 5 17 2 3 g 3 1 13 5 eu 2 6 2 12 2 6 2 8 1 1 1 1 1 ' +
  '1 1 v 2 1h 1 7 1 1 3 3 1 7 3 4 2 6 4 d 5 3 1 7 f 2 1d 2 j 1 s 1 d 1 g d 1f x h 1 4 1 2 a 1 1 3 5 6 ' +
  '1 1 1 1 1 1 4 1 b 2 4 5 5 4 1 h 15 ml 1g 1ee 6d 6 9 c 12 1 1 5 1 2 1k 7 1 f o 9 7 1 7 1 7 1 7 1 7 1 ' +
  '7 1 7 1 7 1 w 1b 1 d1 3 p f 1 5 2 5 4 2e 2 2 2 3 1 2i 1 4 5 17 1 2m h w 1c g e8 534 1s h3h 1v 1a 2 ' +
  '7h 3 s k 1f 1 a 1 37 11 9 2 2v 2 1v 2 2 1 1 1 8 l 1i 4 1 j 1g c 1y a a 6 o 3 1 1 1d 2 10 c t 3 1t e ' +
  'b 6 v 1 1j 9 e 2 a 6 n 3 21 o 3 2 g 2 5 a 6 2 6 2 6 9 7 1 7 1 17 1 e 6 3f 1 2 2 a 6 8mc c n 4 1d ' +
  '6is a6 2 2y 12 7 c 5 5 c 1 d 1 5 1 1 1 2 1 2 1 30 x a3 i 1s 2 1i 14 c 4 g g g 3 2 o 3 w 5 1 3r j a ' +
  '7 q 4 1 1 q b 2h 3 6 2 6 2 6 2 3 z c 1 q 1 j 1 2 1 f 2 e y 3f 1x 1h 3s 1 3m t 3 1d f 1 v w d u 5 17 ' +
  '5 u 2 10 4 8 1 5 16 4e 2 a 6 10 4 10 4 14 8 1g c b 1 f 1 7 1 2 1 b 1 f 1 7 1 2 3 1g c 8n 9 m a 8 o ' +
  '6 1 16 1 9 1x 6 2 1 1 18 1 2 3 1 2 n a n 9 v 1t j 1 2 a m a q 1y 1k 6 2 1s 4 1 2 5 8 1 3 1 t 2 3 4 ' +
  '1 w t 3 t z 8 1 u p 1i a m a j d i 32 21 1j 1f d 1f d 14 8 a 6 12 3 5 1 n 6y 16 1 2 3 2 g 3 1j x a ' +
  '1 8 x v m 16 l r n 9 1z v g 9 1o 7 1 d p 7 a 6 1h 1 a 4 4 8 10 2 1 9 1x 4 4 1 d 1 1 z i 1 11 6 4 1q ' +
  '7 1 1 1 4 1 f 1 a 7 1n 5 a 6 4 1 8 2 2 2 m 1 7 1 2 1 5 1 a 2 2 2 3 2 1 6 1 5 7 2 7 3 5 b a 1 1 2 1 ' +
  '1 12 1 a 1 1 2 1 1 4 1 8 d 2 t 23 5 a 4 4 u 1y 1 1 8 a 4m 1i 2 9 n 6 y 1t 3 1 b a 12 1l 7 a 6 k s r ' +
  '2 f 4 a 6 7 55 1n 2t 22 l 8 2 1 2 8 1 2 1 u 1 2 2 9 c a 1y 8 2 1a 2 8 1 2 r 1r 8 1 8 22 3 1 i 21 5j ' +
  'x f a 6 9 1 19 1 9 f a o u 2 m 1 e 21 7 1 2 1 18 3 1 1 2 1 9 8 a 6 6 1 2 1 11 1 2 1 6 7 a 8m n 9 h ' +
  '1 15 3 5 d b 2d 1 27 pm 2u 33 h 5g 218 2p f ts g m a 32z 5 g7 5a1 1m 1c6 ft 7 v 1 a 6 27 1 a 6 u 2 ' +
  '5 b 1j 9 4 c a 9 l 5 j c0 19 3 a 5i 1s 3k 23 4 1l 7 h 1s 2 1 2 b 2 e 4qg 8 ye 15 a 6w7 4 1 7 1 2 1 ' +
  '83 f 1 t 3 2 1 e 4 8 b0 1s4 2z 5 d 3 9 7 a 3 2 381 a ee 1a 2 n f2 5 3 6 8 8 2 7 u 4 44 3 cb 2d 1 1z ' +
  '1 2 2 1 2 2 2 4 1 c 1 1 1 7 1 1t 1 4 2 8 1 7 1 s 1 4 1 5 1 1 3 7 1 9g 2 p 1 p 1 v 1 p 1 v 1 p 1 v 1 ' +
  'p 1 v 1 p 1 8 2 1e e8 1j 4 1e 8 1 e 1 m 5 1 f uo v 6 6 5x 7 1 h 2 7 1 2 1 5 5 1q x 1 34 19 3 e 2 a ' +
  '4 1 8x v h 1m d2 16 5y 17 dh 7 1 4 1 2 1 f 1 5h b 7 15 24 4 a x2 4 1 r 1 2 1 1 2 1 1 a 1 4 1 1 1 1 ' +
  '6 1 4 1 1 1 1 1 1 3 1 2 1 1 2 1 1 1 1 1 1 1 1 1 1 2 1 1 2 4 1 7 1 4 1 4 1 1 1 a 1 h 5 3 1 5 1 h hg ' +
  'q 6 q 6 q 21y a sm wyo w 37e 6 66 2 4g2 e 5rl f ha 1wi f2 15u 3t7 5 38g f9e8 6o';

/** Changed or moved by canonical decomposition. */
export const DECOMPOSING =
  '5c 6 1 9 1 6 2 5 2 6 1 9 1 6 2 5 1 h 2 k 2 9 3 4 1 6 4 6 3 6 2 i 2 n x 2 d 2 s g 1 6 2 b 3 2 2 10 2 ' +
  '2 6 e 5o 27 1 w 4 1 9 1 6 6 1 1 1 3 p 7 p 5 4 2 17 2 1 1 3 1 4 3 a 1 v 1 m 2 1 1 3 1 4 3 n 2 b 5 1l ' +
  '2 d 4 2 2 2 6 2 6 2 c 2 2 47 19 1 1 1 2 1 2 1 1 20 b 7 5 10 l g 1 27 1 1 1 g 1 2 7 2 6 2 2 1 4 z 1 ' +
  'u r 4g 9 y 4 1 9 1 3 1 5 17 3 3c e 1 t 15 1 7 1 2 1 7 1 g 1 3 4 3 8 2k 1 e 3 e 2 1 1 2b 1 2 1 5 1 g ' +
  '1 b 3 2 1 2l 1 g 1 32 1 b 1 2 3 e 2 1i 1 1h 4 3e 1 4 1 7 2 2t 1 3 1 6 2 1 2 1 1 3g 4 3g 1 f 1 1 3 ' +
  '2h 3 d 4 30 2 e 4 24 2 r 1 1 1 1 1 9 1 9 1 4 1 4 1 4 1 c 1 7 6 1 1 1 4 2 5 1 2 b 1 9 1 4 1 4 1 4 1 ' +
  'c 1 c 1 2n 1 g 1 1 2 2a 1 jz 3 qc 1 v 1 4d 1 a 1 5n 1 3z 3 63 2 1z 1 k 8 2 1 1c e 20 1 1 1 1 1 1 1 ' +
  '1 1 3 1 x 1 6 1 1 1 2 2 1 2 12 9 1i 2 1m 1 b 2 1v 1 48 3 1 d 1 7 4 1 6 1 3 2 5i 1i 5 4f 1 1 4 2i 6 ' +
  'm 2 6 2 12 2 6 2 8 1 1 1 1 1 1 1 v 2 1h 1 7 1 1 2 4 1 e 2 6 1 j 2 3 1 8 2 2 5q d 4 1 3 c 1h 1 3 2 ' +
  '32 2 i 1 u 3 1g 1 4 1 2 1 n 1 1 1 q 1 2 1 2 1 1 1 m 1 1 1 a 5 2 2 2 2 6 2 2 2 2 2 y 4 1c 4 6 4 1n 2 ' +
  '1ip 1 eq 3 3x 1 2o w fe 6 s 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 2 1 1 1 1 1 6 2 1 2 1 2 1 ' +
  '2 1 2 m 1 4 2 3 1 d 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 2 1 1 1 1 1 6 2 1 2 1 2 1 2 1 2 m ' +
  '1 2 4 3 1 n74 1 4 a w 2 28 2 7o 1 59 1 r i 1l 3 11 1 2n 1 c 1 6n 1 1 3 2 2 5 2 1 1 1g 1 6u 1 i 8mc ' +
  '6l8 7i 2 1 1 1 2 a 1 1 1 1 2 2 3 1w 2 2y 1v 3 a d 1 5 1 1 1 2 1 2 1 9 k1 g r1 1 6a 1 45 5 1aq 1 1 1 ' +
  '14 3 4 1 4l 2 127 1 1k 1 q 1 1 1 e 1 d 2 1x 3 17 2 3 2 1q 1 24 1 9 1 2y 2 4y 2 29 1 e 3 o 7 3 5 5p ' +
  '1 3 1 38 2 1 1 3 2 6u 2 3 2 3i 1 3a 2 37 1 103 1 fjk 5 1n 7 g2v 1 43j c 3 6 8 8 2 7 u 4 d 6 3l 3 ' +
  '2pn 7 1 h 2 7 1 2 1 5 1ph 7 31 7 1hh1 f2';

/** Lower-case pairs younger than Unicode 14.0, which a Node of today may not know. */
export const NEWER_LOWER_CASE =
  '5mx 5my x57 h0 x58 x59 x5a x5b x5e x5f x5g x5h x5m x5n x5o bf 1h74 1h80 1h75 1h81 1h76 1h82 1h77 ' +
  '1h83 1h78 1h84 1h79 1h85 1h7a 1h86 1h7b 1h87 1h7c 1h88 1h7d 1h89 1h7e 1h8a 1h7f 1h8b 1h7g 1h8c 1h7h ' +
  '1h8d 1h7i 1h8e 1h7j 1h8f 1h7k 1h8g 1h7l 1h8h 1h7m 1h8i 1h7n 1h8j 1h7o 1h8k 1h7p 1h8l 20f4 20fv 20f5 ' +
  '20fw 20f6 20fx 20f7 20fy 20f8 20fz 20f9 20g0 20fa 20g1 20fb 20g2 20fc 20g3 20fd 20g4 20fe 20g5 20ff ' +
  '20g6 20fg 20g7 20fh 20g8 20fi 20g9 20fj 20ga 20fk 20gb 20fl 20gc 20fm 20gd 20fn 20ge 20fo 20gf 20fp ' +
  '20gg 20fq 20gh 20fr 20gi 20fs 20gj';
