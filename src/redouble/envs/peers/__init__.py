"""The games as environments of other libraries: Gymnasium, PettingZoo and OpenSpiel."""
