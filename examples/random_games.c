/* Play random games from C.
   redouble build c double-down && cc -I. random_games.c double-down.o && ./a.out */
#include <stdio.h>
#include "double-down.h"

int main(void) {
    enum { GAMES = 100, SEATS = 4 };
    uint32_t dice = 1;
    long moves = 0;
    int wins[SEATS] = {0};
    for (int game = 0; game < GAMES; game++) {
        struct double_down_position s = double_down_headers[SEATS];
        s.rng[0] = game, s.rng[1] = 1, s.rng[2] = 2, s.rng[3] = 3;
        double_down_setup(&s);
        int16_t legal[sizeof s.deck];
        for (int n; (n = double_down_legal(&s, legal)) > 0; moves++) {
            dice = dice * 1664525u + 1013904223u;
            double_down_play(&s, legal[(dice >> 16) % n]);
        }
        int64_t ranks[sizeof s.lives];
        double_down_rank(&s, ranks);
        for (int seat = 0; seat < SEATS; seat++) wins[seat] += ranks[seat] == 1;
    }
    printf("%d games, %ld moves, wins:", GAMES, moves);
    for (int seat = 0; seat < SEATS; seat++) printf(" %d", wins[seat]);
    printf("\n");
}
